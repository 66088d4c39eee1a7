"""Which argument of a command line a finding names."""

from __future__ import annotations

from translator.argv.holes import named_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.findings import Finding
    from translator.tables.catalog import Catalog


class Arguments:
    """The arguments of a command line, by what findings say of them.

    Args:
        tokens: the command line.
        catalog: of the version that it is checked for.
    """

    def __init__(self, tokens: Sequence[str], catalog: Catalog) -> None:
        self._catalog = catalog
        # The last index of a token; of an option, by any of its spellings, or with a key behind a
        # dot; and of an option with a value.
        self._tokens = {token: at for at, token in enumerate(tokens)}
        self._options: dict[str, int] = {}
        self._values: dict[tuple[str, str], int] = {}
        for at, token in enumerate(tokens):
            if not token.startswith("-") or len(token) < 2:
                continue
            name = _name(token)
            for option in {name, self._option(name), self._option(name.partition(".")[0])}:
                self._options[option] = at
                for value in _values(tokens, at):
                    self._values[option, value] = at

    def named(self, item: Finding) -> int | None:
        """Return the index of the argument that a finding names; None if it names none."""
        given = str(item.facts.get("given", ""))
        for text in (given, item.subject):
            if text in self._tokens and (
                "=" in text if text.startswith("-") else text == item.subject
            ):
                return self._tokens[text]
        for text in (given, item.subject):
            option = self._option(_name(text)) if text.startswith("-") else ""
            if option not in self._options:
                continue
            # Of several uses, the one with the value that the finding quotes; the last one counts.
            quoted = [
                at
                for fact in item.facts.values()
                if (at := self._values.get((option, str(fact)))) is not None
            ]
            return max(quoted, default=self._options[option])
        return None

    def _option(self, name: str) -> str:
        """Return the flag that an option is, else its own name."""
        flag = named_flag(name, self._catalog)[0]
        return name if flag is None else flag.flag


def _name(option: str) -> str:
    return option.partition("=")[0].partition(" ")[0].replace("_", "-")


def _values(tokens: Sequence[str], at: int) -> tuple[str, ...]:
    """Return how a finding may quote the value of an option."""
    _, sign, value = tokens[at].partition("=")
    if sign:
        return value, tokens[at]
    behind = tokens[at + 1 : at + 2]
    return (behind[0], f"{tokens[at]} {behind[0]}") if behind else ()
