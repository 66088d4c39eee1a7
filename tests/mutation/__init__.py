"""Does the quick suite notice when a line that matters is wrong?

    python -m tests.mutation                      break every line of mutations.toml, one at a time, in a copy of the checkout
    python -m tests.mutation --only values.py     those of one file
    python -m tests.mutation --list

The mutations are data: `mutations.toml`. tests/test_mutation.py checks that each of them still fits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]


class Mutation:
    """One line, and what it is replaced by.

    Attributes:
        file: inside the checkout.
        old: what stands there exactly once.
        new: what is put in its place.
        why: what would go wrong for users.
        tests: the files that are likely to notice, to be run first.
        compile: whether the compiled tables are made anew afterwards (of a mutation in mappings/, whose staleness would be noticed otherwise).
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self.file: str = fields.pop("file")
        self.old: str = fields.pop("old")
        self.new: str = fields.pop("new")
        self.why: str = fields.pop("why")
        self.tests: list[str] = fields.pop("tests")
        self.compile: bool = fields.pop("compile", False)
        if fields:
            raise ValueError(f"unknown fields: {', '.join(fields)}")

    @property
    def title(self) -> str:
        return f"{self.file}: {self.old.strip().splitlines()[0][:90]}"

    def problem(self, checkout: Path = CHECKOUT) -> str:
        """Why it cannot be applied; "" when it can."""
        path = checkout / self.file
        if not path.is_file():
            return "there is no such file"
        count = path.read_bytes().decode("utf-8").count(self.old)
        if count != 1:
            return f"it stands there {count} times"
        missing = [name for name in self.tests if not (checkout / name).is_file()]
        return f"there is no {missing[0]}" if missing else "it changes nothing" if self.old == self.new else ""

    def apply(self, checkout: Path) -> None:
        path = checkout / self.file
        path.write_bytes(path.read_bytes().decode("utf-8").replace(self.old, self.new).encode("utf-8"))


def mutations() -> list[Mutation]:
    """Every mutation, in the order of the file."""
    return [Mutation(dict(entry)) for entry in tomllib.loads((HERE / "mutations.toml").read_text(encoding="utf-8"))["mutation"]]
