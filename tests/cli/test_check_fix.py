"""`translate check --fix`: what is corrected in files of every kind, and what stays as it is."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.program import Ran, codes, translate

from translator.cli.main import main
from translator.deployments.repair import fixes


def fix(*paths: Path, options: Sequence[str] = ("--fix",)) -> Ran:
    return translate("check", "--vllm", "0.33.0", *map(str, paths), *options)


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
        results = fixes.check

        def checked(*arguments: Any) -> Any:
            path.write_text("MODEL_NAME=other\n")
            return results(*arguments)

        monkeypatch.setattr(fixes, "check", checked)
    else:
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    text = "MODEL_NAME=m\nSWAP_SPACE=4\n" if how == "read-only" else "MODEL_NAME=other\n"
    assert main(["check", "--vllm", "0.33.0", "--fix", str(path)]) == 2
    assert path.read_text() == text
    assert ("changed since" in capsys.readouterr().err) == (how == "changed")


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
    found = [code for _, code in codes("\n".join(marked))]
    assert found == ["replaced", "removed", "repaired-variable"]
    assert "[*] 3 fixable with --fix" in ran.err
    (done,) = json.loads(translate("check", str(path), "--format", "sarif").out)["runs"]
    fixes = {item["ruleId"]: item["fixes"] for item in done["results"] if "fixes" in item}
    changed = {}
    for code, (fix,) in fixes.items():
        (change,) = fix["artifactChanges"]
        assert change["artifactLocation"]["uri"].endswith("/pod.yaml")
        changed[code] = applied(text, change["replacements"])
    assert changed == {
        "replaced": text.replace("--task, embed", "--runner, pooling, --convert, embed"),
        "removed": text.replace("--swap-space=4, ", ""),
        "repaired-variable": text.replace("'true'", "'1'"),
    }
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("model", ["m", "m{0}"])
def test_every_command_of_many_is_fixed(model: str, tmp_path: Path) -> None:
    """A hundred that are alike, and as many as are read of a hundred others: the sum says it."""
    path = tmp_path / "run.sh"
    path.write_text("".join(f"vllm serve {model} --swap-space 4\n".format(at) for at in range(101)))
    ran = fix(path)
    left = path.read_text().count("swap")
    assert f"{101 - left} findings fixed in 1 file" in ran.err
    assert "internal error" not in ran.err
    assert left == 0 or model != "m"


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
