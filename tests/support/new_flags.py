"""What is new in a version: a test of every flag of every version asks each fact once."""

import functools
import json

from translator.core.tables.catalog import Flag, shipped

VERSIONS = shipped().versions()


@functools.cache
def new_flags(version: str, grammar: str = "") -> tuple[Flag, ...]:
    """The flags of a version that no older one has with the same facts and the same grammar (the
    part of it whose names begin so): the others have been asked for there.
    """
    older = VERSIONS[: VERSIONS.index(version)]
    known = {told for each in older for told in facts(each, grammar).values()}
    here = facts(version, grammar)
    return tuple(
        flag for flag in shipped().catalog(version).flags() if here[flag.flag] not in known
    )


@functools.cache
def facts(version: str, grammar: str = "") -> dict[str, str]:
    """All that a catalog says about each flag, and the grammar that it is read by."""
    here = shipped().catalog(version)
    rules = {name: rule for name, rule in vars(here.grammar).items() if name.startswith(grammar)}
    read_by = json.dumps(rules, sort_keys=True)
    return {
        flag.flag: repr(
            sorted(vars(flag).items()) + [here.shape(flag.flag) if flag.shaped else None, read_by]
        )
        for flag in here.flags()
    }
