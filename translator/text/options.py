"""Options without argparse, for the two commands that have to be quick: argparse takes 8 ms to
import and 2 to set up.

Only what is plainly right is read here; for everything else (help, mistakes, abbreviations) the
caller goes to argparse.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Options:
    """The options read, as attributes; `behind` is what stands behind `--`."""

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        for name, value in defaults.items():
            setattr(self, name, list(value) if isinstance(value, list) else value)
        self.behind: list[str] | None = None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def read(arguments: Sequence[str], known: Mapping[str, Any]) -> Options | None:
    """The options, or None for whatever needs argparse."""
    found = Options(
        {
            _attribute(name): default[0] if isinstance(default, tuple) else default
            for name, default in known.items()
        }
    )
    at = 0
    chosen = False
    while at < len(arguments):
        name, sign, value = arguments[at].partition("=")
        at += 1
        if name == "--" and not sign:
            found.behind = list(arguments[at:])
            return found
        if name not in known:
            return None
        default = known[name]
        if default is False:
            if sign:
                return None
            setattr(found, _attribute(name), True)
            continue
        if not sign:
            if at == len(arguments) or (arguments[at].startswith("-") and arguments[at] != "-"):
                return None
            value = arguments[at]
            at += 1
        if isinstance(default, tuple) and value not in default:
            return None
        if isinstance(default, list):
            getattr(found, _attribute(name)).append(value)
        elif name in ("--dialect", "--prefix"):
            if chosen:
                return None  # what they mean together, argparse's side settles
            chosen = True
            setattr(
                found, _attribute("--dialect"), value if name == "--dialect" else f"prefix:{value}"
            )
        else:
            setattr(found, _attribute(name), value)
    return found


def _attribute(name: str) -> str:
    return name[2:].replace("-", "_")
