"""Whose program arguments are for: vLLM's, or another's with a name like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from translator.core.tables.images import program_of, telling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.core.tables.catalog import Tables


def named_by_flags(words: Sequence[str], tables: Tables) -> bool:
    """Return whether arguments are those of vLLM's server, whatever the image is called: two flags
    that hardly another program has, and none that no vLLM has.
    """
    names = flags_in(words)
    return len(telling(names, tables)) > 1 and all(map(tables.knows, names))


def is_foreign(words: Sequence[str], tables: Tables) -> bool:
    """Return whether arguments are another program's, although its name is like vLLM's: Python's,
    or half of the flags are none of vLLM's, and of those that hardly another program has it has one
    at most.
    """
    if words[:1] == ["-m"]:
        return True
    names = flags_in(words)
    unknown = [name for name in names if not tables.knows(name)]
    known = len(telling(names, tables))
    return known < 2 and len(unknown) > known and 2 * len(unknown) >= len(names)


def is_of_another(words: Sequence[str], tables: Tables) -> bool:
    """Return whether arguments have a flag that gives them to another program's parser."""
    return any(program_of(name, tables) for name in flags_in(words))


def flags_in(words: Sequence[str]) -> list[str]:
    """Return the flags among arguments, without keys behind dots."""
    names = [word.partition("=")[0].partition(".")[0] for word in words if word.startswith("--")]
    return [name.replace("_", "-") for name in names]
