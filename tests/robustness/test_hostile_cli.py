"""Hostile input through the command line, as processes: an exit status of the contract and one line
a finding, in bounded memory. What time it takes: tests/growth.
"""

import os
import threading
from pathlib import Path

import pytest
from support.program import HOME, PYTHON, Ran, bash, forked, translate

MB = 10**6
MARKER = "S3cr-t0k3n-0a1b2c3d4e5f"


def bounded(*arguments: str, env: dict[bytes, bytes] | None = None, memory: int = 600 * MB) -> Ran:
    """Run `translate …` under a limit of memory, with an environment of bytes; it must not crash,
    and not show the marker.
    """
    full = {
        b"PATH": os.defpath.encode(),
        b"LC_ALL": b"C.UTF-8",
        b"HF_TOKEN": MARKER.encode(),
        **(env or {}),
    }
    ran = forked(*arguments, env=full, memory=memory)
    assert ran.status in (0, 1, 2), ran.err[:500]
    assert "internal error" not in ran.err
    assert "MemoryError" not in ran.err
    assert MARKER not in (
        ran.err if "json" in arguments else ran.err + ran.out
    )  # JSON holds the environment for vLLM
    assert all(line.isprintable() for line in ran.err.split("\n"))
    assert max(map(len, ran.err.split("\n"))) < 5000
    return ran


def both(name: str, text: bytes, tmp_path: Path) -> list[Ran]:
    """One variable, through the environment where the kernel takes it, else through a file; each
    command that reads variables.
    """
    if len(text) < 100_000 and b"\0" not in text:
        env = {b"MODEL_NAME": b"m", name.encode(): text}
        return [
            bounded(*command, env=env)
            for command in (("env-to-args",), ("check",), ("exec", "--dry-run"))
        ]
    path = tmp_path / "x.env"
    path.write_bytes(b"MODEL_NAME=m\n" + name.encode() + b"=" + text + b"\n")
    return [
        bounded(command, "--env-file", str(path), "--env-file-format", "docker")
        for command in ("env-to-args", "check")
    ]


VALUES: dict[str, tuple[str, bytes, int, str]] = {
    # title: variable, its text, the exit status, what is said
    "deep": ("HF_OVERRIDES", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 1, "deeper than 200"),
    "5 MB of text": ("SERVED_MODEL_NAME", b"a" * 5 * MB, 0, ""),
    "5 MB in JSON": ("HF_OVERRIDES", b'{"a": "' + b"x" * 5 * MB + b'"}', 0, ""),
    "5 MB of digits": ("MAX_MODEL_LEN", b"9" * 5 * MB, 1, "bad-integer"),
    "a NUL in JSON": ("SERVED_MODEL_NAME", b'["a\\u0000"]', 1, "NUL"),
    "a surrogate in JSON": ("HF_OVERRIDES", b'{"a": "\\ud800", "\\udc80": 1}', 0, ""),
    "bytes that are not UTF-8": ("SERVED_MODEL_NAME", b"a\xff\xfeb", 0, ""),
    "bytes that are not UTF-8, refused": ("DTYPE", b"a\xff\xfeb", 1, "bad-choice"),
    "bytes that are not UTF-8 in tokens": ("VLLM_EXTRA_ARGS", b"--dtype \xfe", 1, "bad-choice"),
}


@pytest.mark.parametrize("title", VALUES)
def test_a_value_is_read_or_refused(title: str, tmp_path: Path) -> None:
    """Through every command that reads variables, with 600 MB of address space."""
    name, text, status, said = VALUES[title]
    for ran in both(name, text, tmp_path):
        assert ran.status == status, ran.err[:500]
        assert said in ran.err + ran.out


def test_bytes_that_are_not_utf8_leave_as_they_came() -> None:
    """A name, a value and a token: nothing is replaced by a question mark."""
    env = {b"MODEL_NAME": b"m\xff", b"N\xfeM\xc0E": b"\xfd", b"SERVED_MODEL_NAME": b"\xe9"}
    ran = bounded("env-to-args", "--format", "nul", env=env)
    assert ran.raw.split(b"\0")[2:-1] == [b"m\xff", b"--served-model-name=\xe9"]
    ran = bounded(
        "args-to-env",
        "--format",
        "shell",
        "--",
        *map(os.fsdecode, (b"vllm", b"serve", b"m\xff", b"--served-model-name=\xe9")),
    )
    assert b"MODEL_NAME='m\xff'" in ran.raw
    for form in ("docker", "dotenv", "k8s"):
        ran = bounded(
            "args-to-env", "--format", form, "--", *map(os.fsdecode, (b"vllm", b"serve", b"m\xff"))
        )
        assert (ran.status, ran.out) == (1, "")


# --- files ----------------------------------------------------------------------------------------

READERS = (
    ["env-to-args", "--env-file"],
    ["env-to-args", "--env-file-format=docker", "--env-file"],
    ["check", "--env-file"],
    ["args-to-env", "--file"],
    ["convert", "--env-file"],
    ["check"],
)


def _made(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "gone")
    (folder / "one").symlink_to(folder / "two")
    (folder / "two").symlink_to(folder / "one")
    (folder / "x.env").write_bytes(b"A=\xff\n")
    (folder / "nul.env").write_bytes(b"MODEL_NAME=a\0b\n")


FILES = {  # a file, which may be one of _made, and what is said
    "a directory": (".", "directory"),
    "an endless file": ("/dev/zero", "longer than 16 MiB"),
    "endless noise": ("/dev/urandom", "longer than 16 MiB"),
    "a link to nothing": ("link", "No such file"),
    "a link to itself": ("one", "symbolic links"),
    "a file below a file": ("x.env/y.env", "Not a directory"),
    "a file that not even root reads from its beginning": ("/proc/self/mem", "error"),
    "bytes that are not UTF-8": ("x.env", "not UTF-8"),
    "a NUL": ("nul.env", "NUL"),
    "a name that is too long": ("x" * 300, "too long"),
}


@pytest.mark.parametrize("title", FILES)
def test_a_file_that_is_none_is_one_line(title: str, tmp_path: Path) -> None:
    """Whatever stands where a file should: status 2, within a bound of memory."""
    _made(tmp_path)
    path, said = tmp_path / FILES[title][0], FILES[title][1]
    for reader in READERS:
        if title == "a directory" and reader == ["check"]:
            continue  # it looks for the files in it
        ran = bounded(*reader, str(path), memory=300 * MB)
        assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1), ran.err
        assert said in ran.err + ran.out


def test_a_pipe_is_read_to_its_end() -> None:
    """A shell's `<(…)`, whose writer comes late and pauses."""
    script = (
        f"{PYTHON} -m translator env-to-args --env-file <(sleep 0.3; echo MODEL_NAME=org/m; sleep"
        " 0.1; echo DTYPE=half)"
    )
    done = bash(script, {"PYTHONPATH": HOME})
    assert done.stdout == b"vllm serve org/m --dtype=half\n", done.stderr


@pytest.mark.parametrize("form", ["config", "env"])
def test_a_pipe_is_read_once_for_all_versions(form: str, tmp_path: Path) -> None:
    """Each version read it again, and its comments: 30 seconds a time, for nothing."""
    path = tmp_path / "x.yaml"
    os.mkfifo(path)
    text = "max-model-len: x\n" if form == "config" else "MAX_MODEL_LEN=x # translate: ignore\n"
    writer = threading.Thread(target=path.write_text, args=(text,), daemon=True)
    writer.start()
    line = {
        "config": ["--", "vllm", "serve", "m", "--config", str(path)],
        "env": ["--env-file", str(path), "--env-file-format", "dotenv"],
    }
    ran = translate("check", "--vllm", "0.27.1", "--vllm", "0.33.0", *line[form])
    writer.join()
    assert ("bad-integer" in ran.out) == (form == "config"), ran
    assert "nobody has written" not in ran.out + ran.err


def test_a_link_to_a_file_is_the_file_and_a_file_may_vanish_behind_it(tmp_path: Path) -> None:
    """Kubernetes mounts a ConfigMap as links that are replaced under a running container."""
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data" / "x.env").write_text("MODEL_NAME=org/m\n")
    link = tmp_path / "x.env"
    link.symlink_to("..data/x.env")
    assert translate("env-to-args", "--env-file", str(link)).out == "vllm serve org/m\n"
    (tmp_path / "..data" / "x.env").unlink()
    ran = translate("env-to-args", "--env-file", str(link))
    assert (ran.status, ran.out) == (2, "")
    assert "No such file" in ran.err


# --- the kernel's limits --------------------------------------------------------------------------


def test_a_token_that_only_argv_cannot_hold_is_explained(tmp_path: Path) -> None:
    """An environment that the kernel just takes, and of which the command line is two bytes too
    long (Linux: 128 KiB a string).
    """
    program = tmp_path / "vllm"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    longest = 32 * os.sysconf("SC_PAGE_SIZE")
    for spare, status in ((100, 7), (len("SERVED_MODEL_NAME=") + 1, 126)):
        env = {
            "MODEL_NAME": "m",
            "SERVED_MODEL_NAME": "x" * (longest - spare),
            "PATH": f"{tmp_path}:{os.defpath}",
            "HF_TOKEN": MARKER,
        }
        ran = translate("exec", env=env)
        assert ran.status == status, ran.err[-500:]
    assert "too long for this system" in ran.err
    assert "--served-model-name" in ran.err.splitlines()[-1]
    assert len(ran.err.splitlines()[-1]) < 400
    assert MARKER not in ran.err + ran.out


# --- numbers, and what Python reads and cannot write ------------------------------------------------


@pytest.mark.parametrize(
    "image",
    ["vllm/vllm-openai:v", "vllm/vllm-openai:v0.", "runpod/worker-v1-vllm:v", "runpod/worker-v1-vllm:v2."],
)  # fmt: skip
def test_a_tag_has_more_digits_than_python_reads(image: str, tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(f"services:\n  a: {{image: '{image}{'9' * 4301}', command: [--model, m]}}\n")
    for command in (["check"], ["upgrade", "--to", "0.33.0"], ["upgrade", "--to", "runpod@2.28.0"]):
        bounded(*command, str(path))


def test_other_numbers_of_many_digits(tmp_path: Path) -> None:
    digits = "9" * 4301
    bounded("check", "--dialect", f"runpod@2.{digits}", "--", "vllm", "serve", "m")
    bounded("upgrade", "--to", f"runpod@{digits}", "x.yaml")
    both("HF_OVERRIDES", b"{'a': 0x" + b"f" * 5000 + b"}", tmp_path)
    (tmp_path / "a.py").write_text(
        "from vllm import LLM\nLLM('m', seed=1j, dtype=b'x', load_format=..., quantization={[]: 1})\n"
    )
    ran = bounded("check", str(tmp_path / "a.py"))
    assert "The values of `{1j}`" in ran.out


def test_what_a_log_quotes_nests_deep() -> None:
    text = "1 validation error for CompilationConfig\nlevel\n  x [type=a, input_value={}, input_type=b]"
    for value in ("[" * 3000 + "]" * 3000, "(" * 3000, "{1:" * 3000):
        ran = translate("explain", "-", stdin=text.replace("{}", value).encode())
        assert (ran.status, "internal error" in ran.err) in ((0, False), (1, False))


def test_the_revision_of_a_model_is_no_pipe(tmp_path: Path) -> None:
    folder = tmp_path / "models--org--m"
    (folder / "refs").mkdir(parents=True)
    (folder / "snapshots").mkdir()
    os.mkfifo(folder / "refs" / "main")
    ran = bounded("check", "--model-config", str(folder), "--", "vllm", "serve", "org/m")
    assert "names no revision" in ran.out
