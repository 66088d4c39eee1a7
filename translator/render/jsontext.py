"""The JSON results of the contract."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from translator.findings import Finding


def dump(value: Any) -> str:
    """Indented JSON; lone surrogates (bytes that are not UTF-8) are escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    return text + "\n"


def of(findings: Iterable[Finding], **parts: Any) -> str:
    """An object of the parts and the findings."""
    return dump({**parts, "findings": [item.as_dict() for item in findings]})
