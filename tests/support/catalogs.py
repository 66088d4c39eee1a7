"""The committed tables as plain JSON and TOML, not read through the package under test."""

import functools
from typing import Any

from cases import tomllib

from .tables import MAPPINGS, committed

# These travel in the environment, never in argv: no round trip of the command line can bring them
# back.
SECRETS = frozenset({"--api-key", "--hf-token"})
SECRET_DESTS = ("api_key", "hf_token")


@functools.cache
def catalog(version: str) -> dict[str, Any]:
    """The committed catalog of a version, with where the parser stores each flag's value."""
    found = committed(version)
    for flag in found["flags"]:
        flag["dest"] = flag["flag"][2:].replace("-", "_")
    return found


@functools.cache
def dialect(name: str = "runpod") -> dict[str, dict[str, Any]]:
    """The variables of a dialect, by name."""
    table = tomllib.loads((MAPPINGS / "dialects" / f"{name}.toml").read_text(encoding="utf-8"))
    return {entry["name"]: entry for entry in table.get("variable", [])}


def spellings(version: str) -> list[str]:
    """Every spelling that the parser of a version has registered."""
    return [
        text
        for flag in catalog(version)["flags"]
        for text in (flag["flag"], *flag.get("aliases", ()), *flag.get("negations", ()))
    ]


def native(version: str) -> list[str]:
    """The names of vLLM's own variables in a version."""
    return [entry["name"] for entry in catalog(version)["env"]]
