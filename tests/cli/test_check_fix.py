"""`translate check --fix`: what is corrected in files of every kind, and what stays as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.program import Ran, codes, translate

from translator.cli import main
from translator.cli.check.checker import Checker

SCRIPT = """\
#!/bin/bash
# --swap-space 4 was fast; VLLM_USE_V1=1 too
export HF_TOKEN=hf_abcdefghijklmnopqrst  # mine
VLLM_USE_V1=1 exec vllm serve org/m --api-key sk-abcdefghijkl \\
  --task embed \\
  --swap-space 4 \\
  --guided-decoding-backend=$BACKEND --enable-prefix-caching true \\
  --hf-overrides "{'a': True}" \\
  --disable-log-requests
"""
POD = """\
kind: Pod
spec:
  containers:
  - name: llm
    image: vllm/vllm-openai:v0.33.0
    args:
    - --model=org/m   # the model
    - --task
    - "embed"
    # room
    - --swap-space
    - "4"
    env:
    - {name: VLLM_USE_V1, value: "1"}  # new
    - name: VLLM_USE_DEEP_GEMM
      value: "true"
"""
POD_FIXED = """\
kind: Pod
spec:
  containers:
  - name: llm
    image: vllm/vllm-openai:v0.33.0
    args:
    - --model=org/m   # the model
    - --runner
    - "pooling"
    - "--convert"
    - "embed"
    # room
    env:
    - name: VLLM_USE_DEEP_GEMM
      value: "1"
"""
FILES = {
    "pod.yaml": (POD, POD_FIXED),
    "numbers.yaml": (
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n"
        "    args: [--model=m, --port, 8000, --swap-space, 4]  # 5\n    env:\n"
        "    - {name: VLLM_HTTP_TIMEOUT_KEEP_ALIVE, value: 8001}\n    ports: [{containerPort: 8000}]\n",
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n"
        '    args: [--model=m, --port, "8000"]  # 5\n    env:\n'
        '    - {name: VLLM_HTTP_TIMEOUT_KEEP_ALIVE, value: "8001"}\n    ports: [{containerPort: 8000}]\n',
    ),
    "numbers-in-strings.yaml": (
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n"
        "    args: [m, --port, 8000, --max-num-seqs, 8, --hf-overrides, '{\"factor\": 2.0}']\n",
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n"
        '    args: [m, --port, "8000", --max-num-seqs, "8", --hf-overrides, \'{"factor": 2.0}\']\n',
    ),
    "pod.json": (
        '{"kind": "Pod", "spec": {"containers": [{"image": "vllm/vllm-openai:v0.33.0",\n'
        ' "command": ["sh", "-c", "vllm serve m --limit-mm-per-prompt image=2 --task embed"],\n'
        ' "env": [{"name": "VLLM_USE_V1", "value": "1"}, {"name": "A", "value": "b"}]}]}}\n',
        '{"kind": "Pod", "spec": {"containers": [{"image": "vllm/vllm-openai:v0.33.0",\n'
        ' "command": ["sh", "-c", "vllm serve m --limit-mm-per-prompt \'{\\"image\\":2}\''
        ' --runner pooling --convert embed"],\n'
        ' "env": [{"name": "A", "value": "b"}]}]}}\n',
    ),
    "compose.yaml": (
        "services:\n  one:\n    image: vllm/vllm-openai:v0.33.0\n"
        '    command: ["--model", "m", "--task", "embed", "--swap-space=4", "--port", "80"]\n'
        "    environment: {VLLM_USE_V1: '1', VLLM_USE_DEEP_GEMM: 'true'}\n"
        "  two:\n    image: vllm/vllm-openai:v0.33.0\n    command: >\n      --model m\n"
        "      --swap-space 4\n    environment:\n      - VLLM_USE_DEEP_GEMM=true\n",
        "services:\n  one:\n    image: vllm/vllm-openai:v0.33.0\n"
        '    command: ["--model", "m", "--runner", "pooling", "--convert", "embed", "--port", "80"]\n'
        "    environment: {VLLM_USE_DEEP_GEMM: '1'}\n"
        "  two:\n    image: vllm/vllm-openai:v0.33.0\n    command: >\n      --model m\n"
        "    environment:\n      - VLLM_USE_DEEP_GEMM=1\n",
    ),
    ".env": (
        "MODEL_NAME=org/m\nTASK=embed\n# TASK=embed\nexport VLLM_USE_DEEP_GEMM='true' # x\n"
        "SWAP_SPACE=4\nHF_OVERRIDES={'a': 1}\n",
        "MODEL_NAME=org/m\nRUNNER=pooling\nCONVERT=embed\n# TASK=embed\n"
        "export VLLM_USE_DEEP_GEMM='1' # x\nHF_OVERRIDES='{\"a\":1}'\n",
    ),
    "doc.md": (
        "Once --task embed\n```bash\ndocker run -e VLLM_USE_V1=1 -e VLLM_USE_DEEP_GEMM=true \\\n"
        "  vllm/vllm-openai:v0.33.0 --model m --task embed\n```\n"
        "  ```sh\n  vllm serve m --swap-space 4\n  ```\n",
        "Once --task embed\n```bash\ndocker run -e VLLM_USE_DEEP_GEMM=1 \\\n"
        "  vllm/vllm-openai:v0.33.0 --model m --runner pooling --convert embed\n```\n"
        "  ```sh\n  vllm serve m\n  ```\n",
    ),
    "Dockerfile": (
        "FROM vllm/vllm-openai:v0.33.0\nENV VLLM_USE_V1=1\nENV VLLM_USE_DEEP_GEMM=true A=b\n"
        'CMD ["--model", "m", "--task", "embed", "--swap-space", "4"]\n',
        "FROM vllm/vllm-openai:v0.33.0\nENV VLLM_USE_DEEP_GEMM=1 A=b\n"
        'CMD ["--model", "m", "--runner", "pooling", "--convert", "embed"]\n',
    ),
    "llm.service": (
        '[Service]\nEnvironment=VLLM_USE_V1=1\nEnvironment="VLLM_USE_DEEP_GEMM=true"\n'
        "ExecStart=/bin/vllm serve m --task embed \\\n  --swap-space 4\n",
        '[Service]\nEnvironment="VLLM_USE_DEEP_GEMM=1"\n'
        "ExecStart=/bin/vllm serve m --runner pooling --convert embed\n",
    ),
    "run.sh": (
        "if [ -n $Q ]; then\n  vllm serve m --swap-space 4\nelse\n  vllm serve m --swap-space 4\nfi\n",
        "if [ -n $Q ]; then\n  vllm serve m\nelse\n  vllm serve m\nfi\n",
    ),
    "arrays.sh": (
        'A=(--port 80 --swap-space 4)\nvllm serve m "${A[@]}" --enable-chunked-prefill=False\n',
        'A=(--port 80)\nvllm serve m "${A[@]}" --disable-chunked-prefill\n',
    ),
}


def fix(*paths: Path, options: Sequence[str] = ("--fix",)) -> Ran:
    return translate("check", "--vllm", "0.33.0", *map(str, paths), *options)


def test_fixed_files(tmp_path: Path) -> None:
    """They check clean, nothing else of them has changed, and fixing them again changes nothing."""
    for name, (before, _) in FILES.items():
        (tmp_path / name).write_text(before)
    paths = [tmp_path / name for name in FILES]
    ran = fix(*paths, options=("--fix", "--format", "json"))
    for name, (_, after) in FILES.items():
        assert (tmp_path / name).read_text() == after, name
    assert {item["code"] for item in json.loads(ran.out)["findings"]} <= {
        "image-version",
        "cut-off",
    }
    assert ran.status == 0
    ran = fix(*paths, options=("--diff",))
    assert (ran.status, ran.out) == (0, "")


def test_a_difference_masks_secrets(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text(SCRIPT)
    ran = fix(path, options=("--diff",))
    assert ran.status == 1
    assert ran.out.splitlines()[2:] == [
        "@@ -4,5 +4,5 @@",
        "-VLLM_USE_V1=1 exec vllm serve org/m --api-key *** ***",
        "-  --task embed \\",
        "-  --swap-space 4 \\",
        "-  --guided-decoding-backend=$BACKEND --enable-prefix-caching true \\",
        "-  --hf-overrides \"{'a': True}\" \\",
        "+exec vllm serve org/m --api-key *** ***",
        "+  --runner pooling \\",
        "+  --convert embed \\",
        "+  --guided-decoding-backend=$BACKEND --enable-prefix-caching \\",
        "+  --hf-overrides '{\"a\":true}' \\",
    ]
    assert "hf_abc" not in ran.out + ran.err
    assert "sk-abc" not in ran.out + ran.err
    assert ran.err == "6 findings would be fixed in 1 file, 3 remain\n"
    ran = fix(path, options=("--fix", "--format", "json"))
    fixed = path.read_text()
    assert fixed.startswith(SCRIPT[: SCRIPT.index("VLLM_USE_V1=1 exec")])
    assert "--guided-decoding-backend=$BACKEND --enable" in fixed  # its value is not known
    assert {item["code"] for item in json.loads(ran.out)["findings"]} >= {"written-for-another"}


@pytest.mark.parametrize(
    ("line", "safe", "unsafe"),
    [
        ("vllm serve m --max-modle-len 8", None, "vllm serve m --max-model-len 8"),
        ("vllm serve m --dtype=flaot16", None, "vllm serve m --dtype=float16"),
        ("vllm serve m --swap-space 4 --device cpu", "vllm serve m --device cpu", "vllm serve m"),
        ("vllm serve m --enable-prefix-caching false", None, None),
        ("vllm serve m --swap-space $S", None, None),
        ("VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve m", None, None),
        ("vllm serve m --swap-space 4 --swap-space 5", None, None),
    ],
)
def test_what_is_not_safe(tmp_path: Path, line: str, safe: str | None, unsafe: str | None) -> None:
    """What changes the meaning, or is a guess, is changed with `--unsafe-fixes` only; what is not
    clear, not at all.
    """
    path = tmp_path / "run.sh"
    for options, result in (((), safe), (("--unsafe-fixes",), unsafe)):
        path.write_text(line)
        fix(path, options=("--fix", *options))
        assert path.read_text() == (result or line)


def test_a_fix_is_right_for_every_version(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("vllm serve m --swap-space 4 --seed 1")
    translate("check", "--vllm", "0.17.1", "--vllm", "0.33.0", "--fix", str(path))
    assert path.read_text() == "vllm serve m --swap-space 4 --seed 1"
    translate("check", "--vllm", "0.18.0", "--vllm", "0.33.0", "--fix", str(path))
    assert path.read_text() == "vllm serve m --seed 1"


def test_another_target_stays(tmp_path: Path) -> None:
    """The same flag where the version of an image has it."""
    path = tmp_path / "run.sh"
    text = "docker run vllm/vllm-openai:v0.{}.0 --model m --swap-space 4\n"
    path.write_text(text.format(16) + text.format(32))
    ran = translate("check", "--fix", str(path))
    assert ran.status == 0
    assert path.read_text() == text.format(16) + text.format(32).replace(" --swap-space 4", "")


def test_many_targets_of_one_file(tmp_path: Path) -> None:
    """They are fixed together, alike ones, too."""
    pod = "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n    args:\n{}"
    bad, good = "    - m{}\n    - --swap-space=4\n    - --task=embed\n", "    - m{}\n"
    better = good + "    - --runner=pooling\n    - --convert=embed\n"
    comment = "    # --swap-space=4\n"
    for extra, number in (("", 8), (comment, 8), ("", 1)):
        path = tmp_path / "pods.yaml"
        path.write_text(
            "---\n".join(pod.format(extra + bad.format(at % number)) for at in range(8))
        )
        ran = fix(path)
        wanted = "---\n".join(pod.format(extra + better.format(at % number)) for at in range(8))
        assert (ran.status, path.read_text()) == (0, wanted)


def test_ignored_findings_are_not_fixed(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    fix(path, options=("--fix", "--ignore", "carried,now-default", "--ignore", "repaired-variable"))
    assert path.read_text() == POD.replace('    - --swap-space\n    - "4"\n', "")


def test_the_file_stays_what_it_is(tmp_path: Path) -> None:
    """Its mode, its line breaks, its byte order mark; a link stays a link."""
    path, link = tmp_path / "a.sh", tmp_path / "b.sh"
    path.write_bytes("\ufeffvllm serve m \\\r\n  --swap-space 4 \\\r\n  --seed 1 # ü\r\n".encode())
    path.chmod(0o754)
    link.symlink_to("a.sh")
    fix(link)
    assert path.read_bytes() == "\ufeffvllm serve m \\\r\n  --seed 1 # ü\r\n".encode()
    assert (os.readlink(link), path.stat().st_mode & 0o777) == ("a.sh", 0o754)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.sh", "b.sh"]


@pytest.mark.parametrize("how", ["changed", "read-only"])
def test_a_file_that_must_not_be_changed(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody else has written it since it was read, or nobody may."""
    path = tmp_path / "x.env"
    path.write_text("MODEL_NAME=m\nSWAP_SPACE=4\n")
    if how == "changed":
        results = Checker.results

        def checked(*arguments: Any) -> Any:
            path.write_text("MODEL_NAME=other\n")
            return results(*arguments)

        monkeypatch.setattr(Checker, "results", checked)
    else:
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    text = "MODEL_NAME=m\nSWAP_SPACE=4\n" if how == "read-only" else "MODEL_NAME=other\n"
    assert main(["check", "--vllm", "0.33.0", "--fix", str(path)]) == 2
    assert path.read_text() == text
    assert ("changed since" in capsys.readouterr().err) == (how == "changed")


def test_variables_of_env_file(tmp_path: Path) -> None:
    path, other = tmp_path / "x", tmp_path / "y"
    path.write_text("MODEL_NAME=m\nVLLM_USE_DEEP_GEMM=true\n")
    other.write_text("SEED=1\n")
    ran = translate("check", "--fix", "--env-file", str(path), "--env-file", str(other))
    assert (ran.status, "a file is needed" in ran.err) == (2, True)
    translate("check", "--vllm", "0.33.0", "--fix", "--env-file", str(path))
    assert path.read_text() == "MODEL_NAME=m\nVLLM_USE_DEEP_GEMM=1\n"


def test_what_is_no_file() -> None:
    ran = translate("check", "--fix", "--", "vllm", "serve", "m", "--swap-space", "4")
    assert (ran.status, "a file is needed" in ran.err) == (2, True)
    script = b"vllm serve m --swap-space 4\n"
    ran = translate("check", "--fix", "-", stdin=script)
    assert (ran.status, "standard input" in ran.err) == (2, True)
    ran = translate("check", "--diff", "-", "--vllm", "0.33.0", stdin=script)
    assert (ran.status, ran.out) == (
        1,
        "--- -\n+++ -\n@@ -1 +1 @@\n-vllm serve m --swap-space 4\n+vllm serve m\n",
    )


def test_a_fix_shows_nothing_of_what_it_leaves(tmp_path: Path) -> None:
    """A variable gets another name: its value stays as it is written, and is no part of the edit.
    What stands beside a variable is not copied with it.
    """
    secret = "Zx9qWvR7tYpLkQQ"
    path = tmp_path / "x.env"
    path.write_text(f'MODEL_NAME=m\nHF_TOKNE={{"{secret}": 1}}\nTASK=embed # {secret}\n')
    ran = fix(path, options=("--diff", "--unsafe-fixes"))
    assert ran.out.splitlines()[2:] == [
        "@@ -2,2 +2,3 @@",
        "-HF_TOKNE=***",
        "-TASK=embed # ***",
        "+HF_TOKEN=***",
        "+RUNNER=pooling",
        "+CONVERT=embed # ***",
    ]
    assert secret not in fix(path, options=("--format", "sarif")).out
    fix(path, options=("--fix", "--unsafe-fixes"))
    assert path.read_text() == (
        f'MODEL_NAME=m\nHF_TOKEN={{"{secret}": 1}}\nRUNNER=pooling\nCONVERT=embed # {secret}\n'
    )


def applied(text: str, replacements: list[dict[str, Any]]) -> str:
    """A text with the replacements of SARIF, from the back to the front."""
    lines = text.splitlines(keepends=True)

    def index(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + column - 1

    for item in reversed(replacements):
        at = item["deletedRegion"]
        start = index(at["startLine"], at["startColumn"])
        end = index(at["endLine"], at["endColumn"])
        text = text[:start] + item.get("insertedContent", {"text": ""})["text"] + text[end:]
    return text


def test_a_report_tells_what_a_fix_would_do(tmp_path: Path) -> None:
    """Of each finding by itself; a guess and what a person has to decide are not marked."""
    path = tmp_path / "pod.yaml"
    text = (
        "# it\r\nkind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n"
        "    args: [--model=ö, --task, embed, --swap-space=4, --max-modle-len=8, --dtype=x]\n"
        "    env:\n    - name: VLLM_USE_DEEP_GEMM\n      value: 'true'\n"
    )
    path.write_text(text, newline="")
    ran = translate("check", str(path))
    marked = [line for line in ran.out.splitlines() if "] [*]: " in line]
    assert [code for _, code in codes("\n".join(marked))] == [
        "carried",
        "dropped",
        "repaired-variable",
    ]
    assert "[*] 3 fixable with --fix" in ran.err
    (done,) = json.loads(translate("check", str(path), "--format", "sarif").out)["runs"]
    fixes = {item["ruleId"]: item["fixes"] for item in done["results"] if "fixes" in item}
    changed = {}
    for code, (fix,) in fixes.items():
        (change,) = fix["artifactChanges"]
        assert change["artifactLocation"]["uri"].endswith("/pod.yaml")
        changed[code] = applied(text, change["replacements"])
    assert changed == {
        "carried": text.replace("--task, embed", "--runner, pooling, --convert, embed"),
        "dropped": text.replace("--swap-space=4, ", ""),
        "repaired-variable": text.replace("'true'", "'1'"),
    }
    assert path.read_bytes() == text.encode()


POD_OF_ANOTHER = "services: {web: {image: nginx, environment: {SEED: abc, ALLOWED_ORIGINS: 'http://localhost:3000'}}}\n"  # fmt: skip
GUESS = "services: {a: {image: mine, environment: {MODEL_NAME: m, MAX_MODEL_LEN: 8, VLLM_USE_DEEP_GEMM: 'true'}}}\n"  # fmt: skip


def test_what_is_not_known_to_be_vllm_stays(tmp_path: Path) -> None:
    """Names that any program may have tell nothing; what only its variables tell of is not
    edited.
    """
    path = tmp_path / "compose.yaml"
    path.write_text(POD_OF_ANOTHER)
    ran = fix(path, options=("--fix", "--unsafe-fixes"))
    assert ("error[" in ran.out, path.read_text()) == (False, POD_OF_ANOTHER)
    path.write_text(GUESS)
    ran = fix(path, options=("--fix", "--unsafe-fixes"))
    assert ("repaired-variable" in ran.out, path.read_text()) == (True, GUESS)
    assert "[*]" not in fix(path, options=()).out


SHARED = {
    "run.sh": 'ARGS="--swap-space 4"\npython old_server.py $ARGS\nvllm serve m $ARGS\n',
    "line.sh": 'ARGS="--swap-space 4"; python old_server.py $ARGS; vllm serve m $ARGS\n',
    "array.sh": 'A=(\n  --port 80\n  --swap-space 4\n)\nvllm serve m "${A[@]}"\nold "${A[@]}"\n',
    "Dockerfile": "FROM vllm/vllm-openai:v0.33.0\nENV VLLM_USE_V1=1\nRUN test $VLLM_USE_V1\n"
    'CMD ["--model", "m"]\n',
    "python.Dockerfile": "FROM vllm/vllm-openai:v0.33.0\nENV VLLM_USE_V1=1\n"
    'RUN python -c \'import os; os.environ["VLLM_USE_V1"]\'\nCMD ["--model", "m"]\n',
    "compose.yaml": "x-env: &env\n  VLLM_USE_DEEP_GEMM: 'true'\nservices:\n"
    "  llm: {image: 'vllm/vllm-openai:v0.33.0', command: --model m, environment: *env}\n"
    "  old: {image: mine, command: python old.py, environment: {<<: *env}}\n",
}


@pytest.mark.parametrize("name", SHARED)
def test_what_others_use_stays(name: str, tmp_path: Path) -> None:
    """A safe fix changes nothing of theirs, and says so; nor is it announced as safe."""
    path = tmp_path / name
    path.write_text(SHARED[name])
    assert "[*]" not in fix(path, options=()).out
    ran = fix(path)
    assert path.read_text() == SHARED[name]
    assert "--unsafe-fixes" in ran.err
    assert "not fixed: it would change" in ran.err
    fix(path, options=("--fix", "--unsafe-fixes"))
    assert path.read_text() != SHARED[name]


@pytest.mark.parametrize(
    "text",
    [
        'ARGS="--port 80 --swap-space 4"\nARGS="$ARGS --seed 1"\necho "with $ARGS"\nvllm serve m $ARGS\n',
        "export VLLM_USE_V1=1\n# $VLLM_USE_V1\nif true; then\n  vllm serve m\nfi\n",
    ],
)
def test_what_only_vllm_uses_is_fixed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text(text)
    ran = fix(path)
    assert path.read_text() == text.replace(" --swap-space 4", "").replace(
        "export VLLM_USE_V1=1\n", ""
    )
    assert "not fixed" not in ran.err


@pytest.mark.parametrize("how", ["link", "hard link", "folder"])
def test_a_file_outside_of_what_is_named_stays(how: str, tmp_path: Path) -> None:
    text = "vllm serve m --swap-space 4\n"
    named, outside = tmp_path / "named", tmp_path / "outside"
    named.mkdir()
    outside.mkdir()
    (outside / "a.sh").write_text(text)
    (named / "b.sh").write_text(text)
    if how == "link":
        (named / "a.sh").symlink_to(outside / "a.sh")
    elif how == "folder":
        (named / "inside").mkdir()
        (named / "inside/a.sh").symlink_to(Path("../../outside/a.sh"))
    else:
        os.link(outside / "a.sh", named / "a.sh")
    ran = fix(named)
    assert (outside / "a.sh").read_text() == text
    assert (named / "b.sh").read_text() == "vllm serve m\n"
    assert "a.sh: not fixed: " in ran.err
    assert ran.status == 1
