"""The input and the result of parsing a command line."""

from __future__ import annotations

from translator.findings import finding
from translator.tables.entries import Grammar
from translator.text.similar import MOST_HINTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from translator.findings import Fact, Finding
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag

    Config = Callable[[str], "list[str] | Finding | None"]


def model_token(parsed: Parsed) -> str:
    """Return the token that named the model, masked for messages."""
    return next(
        (item.token for item in parsed.occurrences if item.flag is None), parsed.model or ""
    )


def no_files(path: str) -> None:
    """Read no file: the `config` of callers without file access."""
    return


# How far a parse goes: to the mistake at which the real parser stops; no farther than it takes to
# tell that there is one, of which no finding is needed; or to the end, of which only the findings
# are valid.
STOP, VERDICT, THROUGHOUT = "stop", "verdict", "throughout"


class LineRules:
    """How to parse a line, in addition to the rules of the version.

    Attributes:
        config: reads the file of --config. Returns its tokens, a finding, or None to keep --config.
        module: the tokens follow `python -m vllm.entrypoints.openai.api_server`, which accepts the
            model as --model in every version.
        partial: the tokens are added to others, so the model may be missing.
        before: how many arguments precede the tokens, for messages.
    """

    __slots__ = ("before", "config", "module", "partial")

    def __init__(
        self,
        config: Config = no_files,
        *,
        module: bool = False,
        partial: bool = False,
        before: int = 0,
    ) -> None:
        self.config, self.module, self.partial, self.before = config, module, partial, before

    def grammar(self, catalog: Catalog) -> Grammar:
        """Return the version's command-line grammar, adjusted for these rules."""
        if not (self.module or self.partial):
            return catalog.grammar
        facts = dict(vars(catalog.grammar))
        if self.module:
            facts["model_option"] = "moved"
        if self.partial:
            facts |= {"model_required": False, "served_needs_model": None}
            if facts["model_option"] == "absent":  # the line is written with the model in front
                facts["model_option"] = "refused"
        return Grammar(facts)


WHOLE_LINE = LineRules()
PART = LineRules(partial=True)
# Tokens that a program adds to a command line of the older module.
MODULE_PART = LineRules(module=True, partial=True)


class Refused(Exception):
    """The real parser refuses the command line for this reason."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found)
        self.finding = found


class Occurrence:
    """One use of a flag on the command line.

    Attributes:
        flag: the flag; None for the positional model.
        token: as the user wrote it.
        value: the typed value; True or False for a switch.
    """

    __slots__ = ("flag", "token", "value")

    def __init__(self, flag: Flag | None, token: str, value: Any) -> None:
        self.flag, self.token, self.value = flag, token, value


class Parsed:
    """A parsed command line.

    Attributes:
        occurrences: every use of a flag, in the order in which the real parser sees them.
        model: the positional, or None.
        config: the path of --config if its content was not available.
        unknown: tokens that argparse does not recognise, each with the stray values after it.
        findings: the mistakes; the real parser refuses the line for each of them.
    """

    __slots__ = ("config", "findings", "model", "occurrences", "unknown")

    def __init__(self) -> None:
        self.occurrences: list[Occurrence] = []
        self.model: str | None = None
        self.config: str | None = None
        self.unknown: list[list[str]] = []
        self.findings: list[Finding] = []

    def with_uses(self, occurrences: list[Occurrence]) -> Parsed:
        """Return the line with other uses of flags, and without its mistakes."""
        made = Parsed()
        made.occurrences, made.model, made.config = occurrences, self.model, self.config
        return made


class LineParse(Parsed):
    """A parse in progress: the result so far, and what happens at a mistake.

    Attributes:
        tokens: the line as it was given.
        catalog: the version's catalog.
        rules: how to parse the line.
        grammar: the version's command-line grammar, adjusted for `rules`.
        extent: STOP, VERDICT or THROUGHOUT.
    """

    __slots__ = ("_numbers", "catalog", "extent", "grammar", "rules", "tokens")

    def __init__(
        self, tokens: Sequence[str], catalog: Catalog, rules: LineRules, extent: str
    ) -> None:
        super().__init__()
        self.tokens, self.catalog, self.rules, self.extent = tokens, catalog, rules, extent
        self.grammar = rules.grammar(catalog)
        self._numbers: dict[str, int] | None = None

    @property
    def is_decided(self) -> bool:
        """Whether the verdict is known, and nothing else is asked for."""
        return self.extent == VERDICT and bool(self.unknown or self.findings)

    def suggests(self, at: int) -> bool:
        """Return whether a finding suggests what was meant: 4 ms for each misspelt flag."""
        return self.extent != VERDICT and at < MOST_HINTS

    def number(self, token: str) -> int:
        """Return the number of an argument that is not shown; 0 for one from a file."""
        if self._numbers is None:
            self._numbers = {}
            for number, text in enumerate(self.tokens, 1 + self.rules.before):
                self._numbers.setdefault(text, number)
        return self._numbers.get(token, 0)

    def refuse(self, code: str, subject: str, case: str = "", **facts: Fact) -> None:
        """Refuse the line with a finding about the version; see `stop`."""
        self.stop(finding(code, subject, case=case, version=self.catalog.version, **facts))

    def stop(self, found: Finding) -> None:
        """Stop where the real parser stops, or record the mistake and continue.

        Raises:
            Refused: unless the whole line is read.
        """
        if self.extent != THROUGHOUT:
            raise Refused(found)
        self.findings.append(found)
