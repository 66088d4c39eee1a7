"""Which vLLM: parse and order version texts, pick the table for one, find the one installed."""

from __future__ import annotations

from translator.findings import Finding, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


VARIABLE = "TRANSLATE_VLLM_VERSION"


def parse(text: str) -> tuple[int, int, int] | None:
    """The release part of a PEP 440 version as (major, minor, patch); None when it is not one.

    >>> parse("0.27.1+cpu"), parse("v0.9"), parse("0.10.0rc1.dev3"), parse("latest")
    ((0, 27, 1), (0, 9, 0), (0, 10, 0), None)
    """
    release = text.strip().lower().removeprefix("v").partition("+")[0].partition("-")[0]
    numbers: list[int] = []
    for part in release.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits or not digits.isascii() or len(digits) > 6:
            break
        numbers.append(int(digits))
        if digits != part:  # `0rc1` ends the release
            rest = part[len(digits) :]
            if not rest.startswith(("a", "b", "rc", "dev", "post")):
                return None
            break
    if len(numbers) < 2:
        return None
    return (numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 0)


def choose(
    text: str, known: Sequence[str], subject: str = "vllm"
) -> tuple[str | None, list[Finding]]:
    """The table for a version: its own minor's, else the next older one's.

    Args:
        text: a version such as "0.19.1", "v0.19" or "0.19.2+cu129".
        known: the versions that there are tables for, oldest first.
        subject: who asked for it, for the findings.

    Returns:
        The table's version (None for an error) and the findings.
    """
    wanted = parse(text)
    if wanted is None:
        return None, [
            finding(
                "bad-version",
                subject,
                f"vLLM version {text!r} is not a version",
                f"known are {known[0]} to {known[-1]}",
            )
        ]
    tables = [(parse(item), item) for item in known]
    first, last = tables[0], tables[-1]
    assert first[0] is not None
    assert last[0] is not None
    if wanted < (first[0][0], first[0][1], 0) or wanted < first[0]:
        return None, [
            finding(
                "version-too-old",
                subject,
                f"vLLM {text} is older than {first[1]}, the oldest that is known",
                f"known are {known[0]} to {known[-1]}",
            )
        ]
    best = first[1]
    for numbers, item in tables:
        if numbers is not None and numbers[:2] <= wanted[:2]:
            best = item
    if wanted[:2] > last[0][:2]:
        message = (
            f"vLLM {text} is newer than {last[1]}, the newest that is known: what {last[1]} takes"
            " is used"
        )
        return best, [
            finding(
                "version-too-new",
                subject,
                message,
                "run `translate tables harvest` beside that vLLM and pass the result with --tables",
            )
        ]
    return best, []


def wanted(
    argument: str | None,
    env: Mapping[str, str],
    known: Sequence[str],
    look: Callable[[], str | None] | None = None,
) -> str:
    """The version asked for: the argument, the variable, the vLLM installed, else the newest known.

    Args:
        argument: from the caller or the command line.
        env: where TRANSLATE_VLLM_VERSION may stand.
        known: the versions that there are tables for.
        look: finds the version of an installed vLLM; the library passes none, as it is pure.
    """
    return argument or asked(env) or (look() if look is not None else None) or known[-1]


def asked(env: Mapping[str, str]) -> str:
    """The version that TRANSLATE_VLLM_VERSION asks for; "" when it asks for none."""
    text = env.get(VARIABLE, "").strip()
    return "" if text == "None" else text
