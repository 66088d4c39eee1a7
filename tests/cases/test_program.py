"""What the program prints and writes, as data (cases/program/NAME.toml).

A case has `files` (those at the head of NAME.toml, too) in a folder of its own, which is written
{dir} (programs among them are executable; {python} is ours), and is a step, or several one after
another, in that folder. A step is a line to `run` (behind `translate`), or `each.run` of these, with
its `env`, `stdin`, another `cwd` and further `files`, and what must come of it; what the case says
beside its steps is so of each that does not say otherwise:

    status                   if absent, 1 if the codes have an error, else 0
    out, err                 all of it
    says, err_says           texts in it; `never`: in neither of the two
    out_never, err_never     texts that only this one may not hold
    starts, ends, line       its beginning, its end, and whole lines of it
    lines, at, count         how many lines, what a numbered line holds, how often a text occurs
    codes, all_codes         the errors and warnings, as "severity code"
    json                     a part of what it is as JSON: the objects' other keys do not matter,
                             but lists are whole, and so is what stands behind "="
    after                    files that were written; all others are as before

What a step prints with `--format json` is as docs/schemas describes it.
"""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from support.program import PYTHON, Ran, codes, translate
from support.schemas import FOLDER, problems

from cases import of_folder, steps


def _placed(value: Any, folder: Path) -> Any:
    """A value of a case with the paths of the folder and of Python."""
    if isinstance(value, str):
        return value.replace("{dir}", str(folder)).replace("{python}", PYTHON)
    if isinstance(value, list):
        return [_placed(item, folder) for item in value]
    if isinstance(value, dict):
        return {_placed(key, folder): _placed(item, folder) for key, item in value.items()}
    return value


def _content(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_bytes().decode()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        if text.startswith("#!"):
            path.chmod(0o755)


def _holds(wanted: Any, found: Any, where: str = "$") -> None:
    """The wanted part is in what was found."""
    if isinstance(wanted, dict) and "=" in wanted:
        assert found == wanted["="], where
    elif isinstance(wanted, dict):
        assert isinstance(found, dict), where
        for key, value in wanted.items():
            if key == "=keys":
                assert sorted(found) == value, where
            elif value == {"=": "absent"}:
                assert key not in found, where
            else:
                assert key in found, where
                _holds(value, found[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(found, list), where
        assert len(found) == len(wanted), f"{where}: {found}"
        for at, value in enumerate(wanted):
            _holds(value, found[at], f"{where}[{at}]")
    else:
        assert found == wanted, where


def _compare(step: dict[str, Any], ran: Ran) -> None:
    told = [code for name in ("codes", "err_codes", "all_codes") for code in step.get(name, ())]
    status = step.get("status", any(code.startswith("error") for code in told))
    assert ran.status == status, ran.out + ran.err
    for text, before in ((ran.out, ""), (ran.err, "err_")):
        if (exact := step.get(before[:-1] or "out")) is not None:
            assert text == exact
        assert [item for item in step.get(before + "says", ()) if item not in text] == [], text
        never = (*step.get("never", ()), *step.get((before or "out_") + "never", ()))
        assert [item for item in never if item in text] == [], text
        assert text.startswith(step.get(before + "starts", "")), text
        assert text.endswith(step.get(before + "ends", "")), text
        assert [
            item for item in step.get(before + "line", ()) if item not in text.splitlines()
        ] == [], text
        assert len(text.splitlines()) == step.get(before + "lines", len(text.splitlines())), text
        for at, item in step.get(before + "at", ()):
            assert item in text.splitlines()[at], text
        for item, count in step.get(before + "count", {}).items():
            assert text.count(item) == count, (item, text)
        if before + "codes" in step:
            assert [" ".join(item) for item in codes(text)] == step[before + "codes"], text
        assert text or not step.get(before + "some")
    if "all_codes" in step:
        assert [" ".join(item) for item in codes(ran.out + ran.err)] == step["all_codes"]
    if "json" in step:
        _holds(json.loads(step["json"]), json.loads(ran.out))


@pytest.mark.parametrize("case", of_folder("program"))
def test_what_the_program_does(case: dict[str, Any], tmp_path: Path) -> None:
    case = _placed(case, tmp_path)
    _write(tmp_path, case.pop("files", {}))
    for step in steps(case, "step"):
        _write(tmp_path, step.get("files", {}))
        before = _content(tmp_path)
        run, stdin = step["run"], step.get("stdin")
        ran = translate(
            *(run if isinstance(run, list) else shlex.split(run)),
            env=step.get("env"),
            stdin=None if stdin is None else stdin.encode(),
            cwd=Path(step.get("cwd", tmp_path)),
        )
        _compare(step, ran)
        command = run.partition(" ")[0] if "--format json" in run else ""
        if ran.out and (FOLDER / f"{command}.json").is_file():
            assert problems(command, json.loads(ran.out)) == []
        assert _content(tmp_path) == {**before, **step.get("after", {})}
