"""The mutations (tests/mutation) still fit: a line that has changed or gone would be broken nowhere. Running them takes an hour: `python -m tests.mutation`."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutation import CHECKOUT, Mutation, mutations


@pytest.mark.skipif(not (CHECKOUT / "translator").is_dir(), reason="needs the sources beside the tests")
@pytest.mark.parametrize("mutation", mutations(), ids=lambda item: item.title)
def test_each_mutation_still_fits(mutation: Mutation) -> None:
    """Its line stands exactly once in its file, and the tests that are to notice it are there."""
    assert mutation.problem(CHECKOUT) == ""
    assert mutation.why


def test_there_are_enough_and_none_twice() -> None:
    """In the codecs, the readers, the writers, the tables."""
    found = mutations()
    assert len(found) >= 40
    assert len({(item.file, item.old) for item in found}) == len(found)
    files = {item.file for item in found}
    assert {f"translator/{name}.py" for name in ("values", "jsontext", "argparser", "grammar", "environ", "envwriter", "assemble", "secrets")} < files
    assert any(item.file.startswith("translator/_compiled/") for item in found)
    assert any(item.compile for item in found)


def test_a_stale_mutation_is_noticed(tmp_path: Path) -> None:
    """A line that is not there, that stands there twice, a file or a test that is gone, and one that changes nothing."""

    def problem(old: str, new: str = "z", file: str = "x.py", tests: tuple[str, ...] = ()) -> str:
        return Mutation({"file": file, "old": old, "new": new, "why": "w", "tests": list(tests)}).problem(tmp_path)

    (tmp_path / "x.py").write_text("a\nb\nb\n")
    assert problem("a") == ""
    assert problem("c") == "it stands there 0 times"
    assert problem("b") == "it stands there 2 times"
    assert problem("a", "a") == "it changes nothing"
    assert problem("a", file="y.py") == "there is no such file"
    assert problem("a", tests=("t.py",)) == "there is no t.py"
    Mutation({"file": "x.py", "old": "a\n", "new": "", "why": "w", "tests": []}).apply(tmp_path)
    assert (tmp_path / "x.py").read_text() == "b\nb\n"
