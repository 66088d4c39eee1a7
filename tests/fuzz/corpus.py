"""The committed inputs."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"


def files(target: str) -> list[Path]:
    """The inputs of a target, in the order of their names."""
    return sorted(path for path in (FOLDER / target).glob("*") if path.is_file())
