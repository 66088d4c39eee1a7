"""DJL-Serving's LMI containers: vLLM's engine inside of a model server."""

from __future__ import annotations


def words(flag: str, text: str) -> list[str] | None:
    """Return the tokens of an option: `true` and `false` are the two spellings of a flag, and an
    empty value is nothing.
    """
    word = text.strip().lower()
    if word in ("true", "false"):
        return [flag if word == "true" else "--no-" + flag[2:]]
    return [flag, text] if text else None
