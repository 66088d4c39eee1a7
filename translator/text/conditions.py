"""Whether a command of a shell script succeeds, without running it."""

from __future__ import annotations

from translator.text.holes import has_hole

# The status of a command that is no condition: in a list it succeeds, as an `if` it is not known.
ANY = "any"
# Programs that look whether something runs already, and start what has stopped.
_ASKING = frozenset(("pgrep", "curl", "nc", "lsof"))
_ENGINES = frozenset(("docker", "podman", "nerdctl"))
_LONGEST_PATTERN = 200
_COMPARISONS = {
    "-eq": int.__eq__,
    "-ne": int.__ne__,
    "-lt": int.__lt__,
    "-le": int.__le__,
    "-gt": int.__gt__,
    "-ge": int.__ge__,
}


def negated(status: bool | str | None) -> bool | str | None:
    """Return the status of `!` before a command."""
    return not status if isinstance(status, bool) else status


def outcome(command: list[str]) -> bool | str | None:
    """Return whether a command succeeds; None: it is a condition that is not known here."""
    first = command[0] if command else ""
    if first in ("true", ":", "false"):
        return first != "false"
    if first == "((":
        return None
    if first in ("[", "[[", "test"):
        return _test(command[1:] if first == "test" else command[1:-1])
    asks = first in _ASKING or (first in _ENGINES and command[1:2] in (["start"], ["inspect"]))
    return None if asks else ANY


def _test(words: list[str]) -> bool | None:
    """Return the result of a condition."""
    for sign in ("||", "-o", "&&", "-a"):
        if sign in words:
            at = words.index(sign)
            sides = _test(words[:at]), _test(words[at + 1 :])
            decides = sign in ("||", "-o")
            if decides in sides:
                return decides
            return None if None in sides else not decides
    if words[:1] == ["!"]:
        made = _test(words[1:])
        return None if made is None else not made
    if any(map(has_hole, words)):
        return None
    if len(words) == 1:
        return bool(words[0])
    if len(words) == 2:
        return {"-z": not words[1], "-n": bool(words[1])}.get(words[0])
    if len(words) != 3:
        return False if words == ["-n"] else True if words == ["-z"] else None
    left, sign, right = words
    if sign in ("=", "==", "!="):
        return fits(left, right) is (sign != "!=")
    numbers = all(len(word) < 16 and word.removeprefix("-").isdecimal() for word in (left, right))
    return (
        bool(_COMPARISONS[sign](int(left), int(right)))
        if sign in _COMPARISONS and numbers
        else None
    )


def fits(text: str, pattern: str) -> bool:
    """Return whether a string matches a shell's pattern of a few stars."""
    if len(pattern) > _LONGEST_PATTERN or pattern.count("*") > 3:
        return False
    from fnmatch import fnmatchcase  # which imports re: most commands have no pattern

    return fnmatchcase(text, pattern)
