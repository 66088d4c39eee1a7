"""The conformance kit: what the real parsers answered, for programs of others that translate, and
the tables to begin with (docs/conformance.md).
"""

from __future__ import annotations

import json
from pathlib import Path

_COPIED = (
    "docs/conformance.md",
    "docs/schemas/vllm-*.json",
    "mappings/vllm/*.jsonl",
    "translator/core/_compiled/dialect.runpod.json",
    "translator/core/_compiled/releases.json",
)


def kit(checkout: Path) -> dict[str, bytes]:
    """Return the files of the kit, by name."""
    recorded = (checkout / "tests" / "cases" / "conformance.jsonl").read_bytes()
    head, *answers = map(json.loads, recorded.splitlines())
    cases = [
        json.dumps({"release": release, **answer["case"]}, ensure_ascii=False) + "\n"
        for answer in answers
        for first, last in answer["asked"]
        for release in head["asked"][first : last + 1]
    ]
    copied = (path for pattern in _COPIED for path in sorted(checkout.glob(pattern)))
    return {"cases.jsonl": "".join(cases).encode()} | {it.name: it.read_bytes() for it in copied}
