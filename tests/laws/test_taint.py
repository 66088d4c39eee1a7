"""Nothing leaks: every command, format and error path, run twice with two secrets of one form.

What comes out must be the same both times (so nothing of a secret is in it, in whatever encoding,
however short it is), except at the places where the
contract puts the configuration itself. They are written down here, one by one: `CONFIGURATION` for
the outputs that are one, `started` for what vLLM gets.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import some

from laws.strategies import VERSIONS, examples
from laws.taint import ARGV_PLACES, ENV_PLACES, FILE_PLACES, MODEL, Outcome, Place, Started, run
from translator.secrets.secrets import secrets_of
from translator.tables.catalog import shipped

SECRETS = secrets_of(shipped())
# What surrounds and separates the random letters of a secret. Equal letters in different secrets
# would be equal by chance: two alphabets.
FORMS = (
    "{}", "{}", "{}", "{} {}", "{}'{}", '{}"{}', "{}\\{}", "{}$({})", "{}`{}`", "{}%41{}%2F", "{}=={}", "{}&{}", "ü{}日{}", "{}/{}+{}=", "{}#{}", "{}@{}:{}",
    "-{}", "--{}.{}", "{}\n{}", "-----BEGIN {}\n{}\n", " {} ", "{},{}", "[{}]", '{{"{}": 1}}', "{{{}", "{}\t{}", "{}\U0001f999{}", "{};{}", "!{}", "*{}", "&{}",
    "{}|{}", "<{}>", "{}${{{}}}", "~{}", "{}\x07{}", "{}\r{}", "{}://{}:{}@h",
)  # fmt: skip
LETTERS = ("ghjqvwzGHJQVWZ", "mpruxyMPRUXYkK")
LETTERS_OF_FLAGS = (
    "-h",
    *(name for name in shipped().index() if len(name) == 2 and name[0] == "-"),
)
MISTAKES: list[dict[str, str]] = [
    {}, {}, {"ENFORCE_EAGER": "maybe"}, {"MAX_MODEL_LEN": "25.6K", "DTYPE": "fp9"}, {"VLLM_USER_V1": "1"}, {"TENSOR_PARALELL_SIZE": "2"}, {"ROPE_SCALING": "{"},
    {"VLLM_PORT": "tcp://10.0.0.1:8000"}, {"SPECULATIVE_MODEL": "org/d"}, {"SWAP_SPACE": "4"}, {"TASK": "embed"}, {"MAX_CONCURRENCY": "30"},
    {"TRANSLATE_DEBUG": "1"},
]  # fmt: skip


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two secrets of one form; every second one is short."""
    form = draw(st.sampled_from(FORMS))
    number = form.replace("{{", "").count("{}")
    sizes = draw(
        st.lists(
            st.integers(8, 14) if draw(st.booleans()) else st.integers(1, 3),
            min_size=number,
            max_size=number,
        )
    )
    first, second = (
        form.format(*(draw(st.text(alphabet, min_size=size, max_size=size)) for size in sizes))
        for alphabet in LETTERS
    )
    # vLLM's help, whatever stands before it; and behind `--hf-token`, which needs no value, `-qx`
    # is the quantization x.
    assume(not first.startswith(LETTERS_OF_FLAGS) and not second.startswith(LETTERS_OF_FLAGS))
    return first, second


ENV_COMMANDS = [
    *([command, "--format", form, *more] for command, form, more in (
        ("env-to-args", "shell", []), ("env-to-args", "multiline", ["--explain"]), ("env-to-args", "lines", ["--strict"]), ("env-to-args", "nul", []),
        ("env-to-args", "yaml", ["--explain"]), ("env-to-args", "helm", []), ("env-to-args", "kaito", []), ("env-to-args", "ray-serve", []), ("env-to-args", "json", []), ("env-to-args", "json", ["--json-style", "dotted", "--explain"]),
        ("env-to-args", "json", ["--dialect", "sagemaker"]), ("env-to-args", "shell", ["--prefix", "MY_", "--explain"]),
        ("check", "text", []), ("check", "json", []), ("check", "github", ["--strict"]),
    )),
    ["check", "--vllm", "0.8..0.12"],
    ["exec", "--dry-run"], ["exec", "--dry-run", "--explain", "--strict"], ["exec", "--dry-run", "--json-style", "dotted", "--worker-defaults"],
    ["exec"], ["exec", "--explain", "--json-style", "dotted"],
]  # fmt: skip
CONVERT_ENV = [
    ["convert", "--format", form, "--from", "0.8.5", "--to", "0.27.1"]
    for form in ("dotenv", "shell", "docker", "k8s", "json")
] + [
    ["convert", "--format", "json", "--to-dialect", "sagemaker"],
]
ARGV_COMMANDS = [
    *(["args-to-env", "--format", form, *more] for form, more in (
        ("dotenv", []), ("shell", ["--explain"]), ("docker", ["--strict"]), ("k8s", []), ("json", ["--explain"]), ("json", ["--from", "0.12.0"]), ("runpod-hub", []),
        ("json", ["--dialect", "sagemaker"]),
    )),
    *(["convert", "--format", form, "--from", "0.10.2", "--to", "0.33.0"] for form in ("shell", "multiline", "lines", "nul", "yaml", "json")),
    ["check"], ["check", "--format", "json"], ["check", "--format", "github"], ["check", "--vllm", "0.11..0.14"],
]  # fmt: skip
# The outputs that are the configuration, by command: what they hold of a secret is checked place by
# place in `of_configuration`.
CONFIGURATION = ("env-to-args", "args-to-env", "convert")


def silent(first: Outcome, second: Outcome, secrets: tuple[str, str], what: object) -> None:
    """Neither standard error nor the exit status tells one secret from another, and no long part of
    one is there.
    """
    assert first.status == second.status, what
    assert first.err == second.err, what
    assert "Traceback" not in first.err, (what, first.err)
    for secret in secrets:
        for part in parts(secret):
            assert part not in first.err, what


def parts(secret: str) -> list[str]:
    """The random parts of a secret that are long enough to be looked for: no encoding changes
    letters.
    """
    words = "".join(char if char.isascii() and char.isalpha() else " " for char in secret).split()
    return [word for word in words if len(word) >= 8 and "BEGIN" not in word]


def of_configuration(first: Outcome, second: Outcome, arguments: list[str], what: object) -> None:
    """Of an output that is the configuration: findings are the same; a token, or a variable that is
    not secret by its name, differs only with a warning.
    """
    form = arguments[arguments.index("--format") + 1] if "--format" in arguments else ""
    if form != "json" or not first.out:
        return
    one, other = json.loads(first.out), json.loads(second.out)
    assert one["findings"] == other["findings"], what
    codes = {item["code"] for item in one["findings"]}
    if "argv" in one and one["argv"] != other["argv"]:
        assert "secret-on-argv" in codes, what
        assert [token.partition("=")[0] for token in one["argv"]][:2] == ["vllm", "serve"]
    assert list(one.get("env", {})) == list(other.get("env", {})), what
    differing = {name for name, text in one.get("env", {}).items() if other["env"][name] != text}
    for name in (
        differing if arguments[0] != "env-to-args" else ()
    ):  # there, `env` is the environment of vLLM
        assert SECRETS.named(name) or "secret-on-argv" in codes, (what, name)


def both(
    place: Any, secrets: tuple[str, str], arguments: list[str], env: dict[str, str], folder: Path
) -> tuple[Outcome, Outcome]:
    """The command with the one secret, and with the other."""
    found = []
    for secret in secrets:
        made: Place = place(secret)
        for name, text in made.files.items():
            (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        more: list[str] = list(made.options)
        files = [name for name in made.files if name != "conf.yaml" and name != "a.env"]
        if files:
            more += ["--file", files[0]] if arguments[0] != "check" else files
        behind = made.tokens if made.tokens is not None else [made.text] if made.text else None
        found.append(
            run(
                [*arguments, *more, *(["--", *behind] if behind is not None else [])],
                {**made.env, **env},
                folder,
            )
        )
    return found[0], found[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a program `vllm` in it, which never runs."""
    made = tmp_path_factory.mktemp("taint")
    (made / "vllm").write_text("#!/bin/sh\n")
    (made / "vllm").chmod(0o755)
    return made


def judged(
    place: Any,
    secrets: tuple[str, str],
    arguments: list[str],
    env: dict[str, str],
    folder: Path,
    what: object,
) -> None:
    first, second = both(place, secrets, arguments, env, folder)
    what = (what, arguments, secrets, first.err, second.err)
    silent(first, second, secrets, what)
    if arguments[0] in CONFIGURATION:
        of_configuration(first, second, arguments, what)
    else:
        assert first.out == second.out, (what, first.out, second.out)
    assert (first.started is None) == (second.started is None), what
    if (
        first.started is not None
        and second.started is not None
        and first.started[0] != second.started[0]
    ):
        assert "secret-on-argv" in first.err, what


@examples(70)
@given(
    name=st.sampled_from(sorted(ENV_PLACES)),
    secrets=pairs(),
    vllm=st.sampled_from(VERSIONS),
    mistake=st.sampled_from(MISTAKES),
    data=st.data(),
)
def test_an_environment(
    folder: Path,
    name: str,
    secrets: tuple[str, str],
    vllm: str,
    mistake: dict[str, str],
    data: st.DataObject,
) -> None:
    """Secret variables, JSON, URLs, dotted keys, further tokens, several machines: with and without
    mistakes beside them.
    """
    place = ENV_PLACES[name]
    behind = place("x").tokens is not None
    clustered = bool(place("x").options)
    for arguments in data.draw(
        st.lists(st.sampled_from(ENV_COMMANDS), min_size=3, max_size=4, unique_by=tuple)
    ):
        if (behind and arguments[0] != "exec") or (clustered and arguments[0] == "check"):
            continue
        more = [] if "--vllm" in arguments else ["--vllm", vllm]
        judged(
            place,
            secrets,
            [*arguments, *more],
            {"MODEL_NAME": MODEL, **mistake} if "MODEL_NAME" not in name else mistake,
            folder,
            name,
        )


@examples(70)
@given(
    name=st.sampled_from(sorted(ARGV_PLACES)),
    secrets=pairs(),
    vllm=st.sampled_from(VERSIONS),
    data=st.data(),
)
def test_a_command_line(
    folder: Path, name: str, secrets: tuple[str, str], vllm: str, data: st.DataObject
) -> None:
    """As tokens, pasted, in docker's command, in manifests, in a file for --config."""
    assume(
        not name.endswith("two keys") or shipped().catalog(vllm).flag("--api-key").kind == "list"
    )  # type: ignore[union-attr]  # else the second one is the model
    for arguments in data.draw(
        st.lists(st.sampled_from(ARGV_COMMANDS), min_size=3, max_size=4, unique_by=tuple)
    ):
        more = [] if "--vllm" in arguments or arguments[0] == "convert" else ["--vllm", vllm]
        judged(ARGV_PLACES[name], secrets, [*arguments, *more], {}, folder, name)


@examples(60)
@given(
    name=st.sampled_from(sorted(FILE_PLACES)),
    secrets=pairs(),
    vllm=st.sampled_from(VERSIONS),
    data=st.data(),
)
def test_a_file_of_variables(
    folder: Path, name: str, secrets: tuple[str, str], vllm: str, data: st.DataObject
) -> None:
    """In both conventions, with lines that nobody can read."""
    commands = [item for item in ENV_COMMANDS if item[0] != "exec"] + CONVERT_ENV
    for arguments in data.draw(
        st.lists(st.sampled_from(commands), min_size=3, max_size=4, unique_by=tuple)
    ):
        more = [] if "--vllm" in arguments or arguments[0] == "convert" else ["--vllm", vllm]
        judged(FILE_PLACES[name], secrets, [*arguments, *more], {}, folder, name)


@examples(40)
@given(
    name=st.sampled_from([*ENV_PLACES, *ARGV_PLACES]),
    secrets=pairs(),
    vllm=st.sampled_from(VERSIONS),
    data=st.data(),
)
def test_every_form_of_output_holds_it_where_the_json_does(
    folder: Path, name: str, secrets: tuple[str, str], vllm: str, data: st.DataObject
) -> None:
    """`--format json` is looked through variable by variable; no other form holds a secret more
    often.
    """
    place = (ENV_PLACES | ARGV_PLACES)[name]
    made = place("x")
    if made.tokens is not None and made.env:
        return
    command, part, forms = (
        ("env-to-args", "argv", ("shell", "multiline", "lines", "nul"))
        if made.env
        else ("args-to-env", "env", ("dotenv", "shell", "docker", "k8s", "runpod-hub"))
    )
    env = {"MODEL_NAME": MODEL} if made.env else {}
    told = both(place, secrets, [command, "--vllm", vllm, "--format", "json"], env, folder)[0]
    if not told.out:
        return
    held = json.dumps(json.loads(told.out)[part], ensure_ascii=False)
    form = data.draw(st.sampled_from(forms))
    written = both(place, secrets, [command, "--vllm", vllm, "--format", form], env, folder)[0]
    for word in parts(secrets[0]):
        assert written.out.count(word) <= held.count(word), (name, form, written.out)


# --- what must be on the command line -------------------------------------------------------------


@pytest.mark.parametrize("vllm", VERSIONS)
def test_vllm_itself_gets_it(folder: Path, vllm: str) -> None:
    """In its environment; on its command line only what it takes nowhere else, with a warning; and
    the log has neither.
    """
    env = {
        "MODEL_NAME": MODEL,
        "HF_TOKEN": "GhjqvwzH1",
        "VLLM_API_KEY": "GhjqvwzH2",
        "AWS_SECRET_ACCESS_KEY": "GhjqvwzH3",
        "VLLM_EXTRA_ARGS": "--api-key=GhjqvwzH4",
    }
    done = run(["exec", "--vllm", vllm, "--explain"], env, folder)
    assert done.started is not None
    argv, environment = done.started
    assert argv == ["vllm", "serve", MODEL]
    assert {name: environment.get(name) for name in env if name not in ("MODEL_NAME", "VLLM_EXTRA_ARGS")} == {
        "HF_TOKEN": "GhjqvwzH1", "VLLM_API_KEY": "GhjqvwzH4", "AWS_SECRET_ACCESS_KEY": "GhjqvwzH3",
    }  # fmt: skip
    assert "Ghjqvwz" not in done.err + done.out
    nested = {
        "KV_TRANSFER_CONFIG": json.dumps(
            {
                "kv_connector": "C",
                "kv_role": "kv_both",
                "kv_connector_extra_config": {"token": "GhjqvwzH5"},
            }
        )
    }
    done = run(["exec", "--vllm", vllm], {"MODEL_NAME": MODEL, **nested}, folder)
    if done.started is not None:  # 0.6.6 knows no such key
        assert "GhjqvwzH5" in " ".join(done.started[0])
        assert "warning[secret-on-argv]" in done.err
    assert "Ghjqvwz" not in done.err


# --- what goes wrong in the middle ----------------------------------------------------------------

_MIDDLES = (
    "translator.api.pipeline.read_env",
    "translator.api.pipeline.assemble",
    "translator.api.pipeline.write_argv",
    "translator.api.redaction.guarded",
    "translator.argv.reading.parse",
    "translator.env.writer.write_env",
    "translator.api.redaction.masker",
    "translator.formats.json_result.dump",
    "translator.values.variables.from_variable",
)


_ERRORS = (
    RuntimeError,
    KeyError,
    OSError,
    RecursionError,
    KeyboardInterrupt,
    MemoryError,
    UnicodeEncodeError,
    SystemExit,
)


@pytest.mark.parametrize("debug", ["", "1"])
@pytest.mark.parametrize("middle", _MIDDLES)
@pytest.mark.parametrize("error", _ERRORS)
def test_an_accident_in_the_middle(
    folder: Path, middle: str, error: type[BaseException], debug: str
) -> None:
    """Whatever an exception holds, standard error does not; with TRANSLATE_DEBUG it shows where,
    and no more.
    """
    secret = "GhjqvwzHGJQVWZ"

    def broken(*arguments: object, **named: object) -> None:
        raise error("utf-8", secret, 0, 1, secret) if error is UnicodeEncodeError else error(secret)

    env = {"MODEL_NAME": MODEL, "HF_TOKEN": secret, "DTYPE": "fp9", "TRANSLATE_DEBUG": debug}
    commands = (
        ["env-to-args", "--format", "json"], ["exec"], ["exec", "--dry-run", "--explain"], ["check"],
        ["args-to-env", "--", "vllm", "serve", "m", "--api-key", secret],
        ["convert", "--to", "0.33.0", "--", "vllm", "serve", "m", "--api-key", secret],
    )  # fmt: skip
    for arguments in some(commands, _ERRORS.index(error)):
        with mock.patch(middle, broken):
            done = run(arguments, env, folder)
        assert secret not in done.err, (arguments, done.err)
        if arguments[0] == "check" or "--dry-run" in arguments:
            assert secret not in done.out


@pytest.mark.parametrize(
    "error",
    [
        OSError(7, "GhjqvwzHGJQVWZ"),
        OSError(8, "Exec format error"),
        ValueError("embedded null byte"),
        Started(),
    ],
)
def test_a_start_that_fails(folder: Path, error: BaseException) -> None:
    """The kernel's refusal (too long, wrong format) is told without a value."""

    def start(*_: object) -> None:
        raise error

    env = {
        "MODEL_NAME": MODEL,
        "HF_TOKEN": "GhjqvwzHGJQVWZ" * 9000,
        "VLLM_API_KEY": "GhjqvwzHGJQVWZ",
    }
    done = run(["exec"], env, folder, start=start)
    assert done.status != 0
    assert "Ghjqvwz" not in done.err
    without = run(["exec"], {**env, "PATH": "/nowhere"}, folder)
    assert without.status == 127
    assert "Ghjqvwz" not in without.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["args-to-env", "vllm", "serve", "--api-key", "{}"], ["args-to-env", "vllm", "serve", "--api-key={}"], ["args-to-env", "--hf-token={}", "--", "m"],
        ["env-to-args", "--api-key", "{}"], ["env-to-args", "--api-key={}"], ["exec", "--api-key={}"], ["exec", "--dry-run", "--api-key", "{}"],
        ["check", "--api-key={}"], ["check", "--vllm", "0.33.0", "vllm", "serve", "--api-key", "{}"], ["convert", "--api-key={}", "--to", "0.33.0"],
        ["explain", "HF_TOKEN={}"], ["explain", "MY_DB_PASSWORD={}"], ["explain", "--api-key={}"], ["explain", "--no-such={}"], ["explain", "NO_SUCH={}"],
        ["tables", "list", "--api-key={}"], ["tables", "show", "--api-key={}"], ["--api-key={}"], ["--api-key", "{}"], ["env-to-args", "--format=http://u:{}@h"],
        ["check", "http://u:{}@h/x.yaml"],
        ["env-to-args", "--env-file", "http://u:{}@h"], ["args-to-env", "--config", "http://u:{}@h", "--", "m"], ["args-to-env", "--file", "http://u:{}@h"],
        ["env-to-args", "--dialect", "http://u:{}@h"], ["env-to-args", "--vllm", "http://u:{}@h"], ["check", "--vllm", "http://u:{}@h..0.9"],
        ["exec", "--cluster", "http://u:{}@h"], ["convert", "--to", "http://u:{}@h", "--", "m"],
    ],
)  # fmt: skip
def test_a_wrong_command_line_of_our_own(folder: Path, arguments: list[str]) -> None:
    """A forgotten `--` in front of vLLM's flags, a file that is not there: what is said of it
    quotes no secret.
    """
    first, second = (
        run([item.format(secret) for item in arguments], {"MODEL_NAME": MODEL}, folder)
        for secret in ("GhjqvwzHGJQVWZ", "mpruxyMPRUXYkK")
    )
    silent(first, second, ("GhjqvwzHGJQVWZ", "mpruxyMPRUXYkK"), (arguments, first.err))
    assert first.out == second.out


def test_what_the_library_raises_holds_nothing() -> None:
    """Not the exception, not what it was raised from, not what a logger makes of it."""
    import logging
    import traceback

    from translator import TranslationError, args_to_env, env_to_args

    secret = "GhjqvwzHGJQVWZ"
    text = '{"kv_connector_extra_config": {"token": "' + secret
    for call in (
        lambda: env_to_args(
            {"MODEL_NAME": MODEL, "KV_TRANSFER_CONFIG": text, "HF_TOKEN": secret, "DTYPE": secret},
            vllm="0.33.0",
        ),
        lambda: args_to_env(
            [MODEL, "--kv-transfer-config", text, "--api-key", secret, "--dtype", secret],
            vllm="0.33.0",
        ),
    ):
        with pytest.raises(TranslationError) as caught:
            call()
        error: BaseException | None = caught.value
        record = logging.LogRecord(
            "x", logging.ERROR, "x", 1, "failed", (), (type(caught.value), caught.value, None)
        )
        said = (
            logging.Formatter().format(record)
            + repr(caught.value)
            + "".join(traceback.format_exception(caught.value, chain=True)[-1:])
        )
        while error is not None:
            said += repr(error) + str(vars(error))
            error = error.__cause__ or error.__context__
        assert secret not in said


# --- as real processes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "python", [[], ["-X", "dev"], ["-X", "faulthandler"], ["-v"], ["-X", "importtime"]]
)
def test_a_real_process(tmp_path: Path, python: list[str]) -> None:
    """`translate exec` becomes a program that shows what it was given; nothing else shows it,
    whatever Python tells about itself.
    """
    import subprocess
    import sys

    from support.program import HOME

    program = tmp_path / "vllm"
    program.write_text(
        f"#!{sys.executable} -S\nimport json, os, sys\nprint(json.dumps([sys.argv,"
        " dict(os.environ)]))\n"
    )
    program.chmod(0o755)
    secret = "GhjqvwzHGJQVWZ \"'$(touch x)\n"
    env = {
        "PATH": str(tmp_path), "PYTHONPATH": HOME, "LC_ALL": "C.UTF-8", "PYTHONFAULTHANDLER": "1", "TRANSLATE_DEBUG": "1", "MODEL_NAME": MODEL,
        "HF_TOKEN": secret, "VLLM_API_KEY": "x" + secret, "VLLM_EXTRA_ARGS": "--api-key=" + shlex.quote("y" + secret), "VLLM_NO_SUCH": "1",
        "OTLP_TRACES_ENDPOINT": "http://u:zGhjqvwzH@h",
    }  # fmt: skip
    command = [sys.executable, *python, "-m", "translator", "exec", "--vllm", "0.27.1", "--explain"]
    done = subprocess.run(
        command, env=env, cwd=tmp_path, capture_output=True, timeout=60, check=True
    )
    argv, environment = json.loads(done.stdout)
    assert argv[1:] == ["serve", MODEL, "--otlp-traces-endpoint=http://u:zGhjqvwzH@h"]
    assert (environment["HF_TOKEN"], environment["VLLM_API_KEY"]) == (secret, "y" + secret)
    assert [name for name, text in environment.items() if "Ghjqvwz" in text] == [
        "HF_TOKEN",
        "VLLM_API_KEY",
    ]
    assert b"Ghjqvwz" not in done.stderr
    assert b"warning[secret-on-argv]" in done.stderr
    assert b"VLLM_NO_SUCH" in done.stderr
    refused = subprocess.run(
        command,
        env={**env, "DTYPE": secret},
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert refused.returncode == 1
    assert b"Ghjqvwz" not in refused.stderr + refused.stdout
    assert sorted(item.name for item in tmp_path.iterdir()) == ["vllm"]
