"""What is wrong with tables, as data (cases/tables/MODULE.toml).

A case has small `tables`, or is some itself: `catalogs`, whose flags and variables stand beside a
model and a folder, and `files` in TOML. Those of the case, or at the head of a file, are those of all
its tables without their own; `changes` there is the changes.toml of those without files. `instead.of`
some text of the files is `instead.with` another one, or without it. What must come of them:

    refused  the problems for which they are not read
    rules    rule -> what it says, which lint as a whole says, too
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.tables import catalog, flag, said, tables

from cases import HERE, table
from translator.maintain.lint import RULES
from translator.maintain.load import TablesError

BY_NAME = {rule.look.__name__: rule for rule in RULES}


def _catalog(given: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: fact for name, fact in given.items() if name != "flags"}
    flags = (
        flag(item["flag"], **{name: fact for name, fact in item.items() if name != "flag"})
        for item in given.get("flags", ())
    )
    return catalog(rest.pop("version"), *flags, **rest)


def _tables() -> Iterator[Any]:
    """Each case's tables, under the file and the title."""
    for path in sorted((HERE / "tables").glob("*.toml")):
        whole = table(f"tables/{path.stem}")
        for case in whole["case"]:
            found = [_completed(given, case, whole) for given in case.get("tables", [{}])]
            yield pytest.param(found, id=f"{path.stem}: {case['title']}")


def _completed(
    given: dict[str, Any], case: dict[str, Any], whole: dict[str, Any]
) -> dict[str, Any]:
    shared = {"catalogs": whole.get("catalogs", ())}
    if "changes" in whole:
        shared["files"] = {"changes": whole["changes"]}
    found = {**shared, **case, **given}
    if "instead" in found:
        instead = found["instead"]
        assert any(instead["of"] in text for text in found["files"].values())
        found["files"] = {
            name: text.replace(instead["of"], instead.get("with", ""), 1)
            for name, text in found["files"].items()
        }
    return found


@pytest.mark.parametrize("given_tables", list(_tables()))
def test_what_is_wrong_is_told(given_tables: list[dict[str, Any]]) -> None:
    for given in given_tables:
        catalogs = map(_catalog, given["catalogs"])
        if "refused" in given:
            with pytest.raises(TablesError) as caught:
                tables(*catalogs, **given.get("files", {}))
            assert [str(problem) for problem in caught.value.problems] == given["refused"]
            continue
        found = tables(*catalogs, **given.get("files", {}))
        for rule, problems in given["rules"].items():
            assert said(BY_NAME[rule], found) == problems
