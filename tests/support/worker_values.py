"""What is asked of each variable of RunPod's worker, and what a finding about it must say."""

from collections.abc import Iterable
from typing import Any

VALUES = (
    *("8k", "25.6k", "", "None", "0", "false", "abc", "1", "true", "512", "0.5", "{}", "org/x"),
    *("-1", "a,b", "image=1"),
)
SAME, STOPS, UNSET, OTHER = "=", "!", "-", "~"


def wrong(sign: str, name: str, findings: Iterable[Any]) -> str:
    """What is wrong with the findings about a value; "" if nothing is.

    Args:
        sign: SAME if the worker makes of the value what we make of it, STOPS if its code stops,
            UNSET if it makes nothing of it, OTHER if it makes something else.
        name: the variable.
        findings: ours.
    """
    said = [item for item in findings if name in item.subject.split(", ")]
    told = [item for item in said if item.severity != "info"]
    if sign != SAME and not told:
        return "nothing is said"
    meant = {"stops at": STOPS, "ignores": UNSET, "reads": OTHER}
    for item in told:
        if item.case == "reads" and meant[item.facts["does"]] != sign:
            return str(item.message)
    return ""
