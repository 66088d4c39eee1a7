"""What is wrong with tables, as data (cases/tables/MODULE.toml).

A case has small `tables`: `catalogs`, whose flags and variables stand beside a model and a folder,
and `files` in TOML. What must come of them:

    refused  the problems for which they are not read
    rules    rule -> what it says, which lint as a whole says, too
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from support.tables import catalog, flag, said, tables

from cases import of_folder
from translator.authoring.lint import RULES
from translator.authoring.load import TablesError

BY_NAME = {rule.look.__name__: rule for rule in RULES}


def _catalog(given: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: fact for name, fact in given.items() if name != "flags"}
    flags = (
        flag(item["flag"], **{name: fact for name, fact in item.items() if name != "flag"})
        for item in given.get("flags", ())
    )
    return catalog(rest.pop("version"), *flags, **rest)


@pytest.mark.parametrize("case", of_folder("tables"))
def test_what_is_wrong_is_told(case: dict[str, Any]) -> None:
    for given in case["tables"]:
        catalogs = map(_catalog, given.get("catalogs", ()))
        if "refused" in given:
            with pytest.raises(TablesError) as caught:
                tables(*catalogs, **given.get("files", {}))
            assert [str(problem) for problem in caught.value.problems] == given["refused"]
            continue
        found = tables(*catalogs, **given.get("files", {}))
        for rule, problems in given["rules"].items():
            assert said(BY_NAME[rule], found) == problems
