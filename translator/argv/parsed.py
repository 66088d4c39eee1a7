"""What a parse of a command line starts from, and what it gives."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from translator.findings import Finding
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag

    Config = Callable[[str], "list[str] | Finding | None"]


def model_token(parsed: Parsed) -> str:
    """The token that named the model, as messages may show it."""
    return next(
        (item.token for item in parsed.occurrences if item.flag is None), parsed.model or ""
    )


def no_files(path: str) -> None:
    """The `config` of callers that read no files."""
    return


class LineRules:
    """How a line is to be parsed, beside the rules of the version.

    Attributes:
        config: gives the tokens of a file for --config, a finding, or None to leave --config.
        module: the tokens followed `python -m vllm.entrypoints.openai.api_server`, which accepts
            the model as --model in every version.
        partial: the tokens are added to others, so the model may be missing.
        hints: whether to look for what a misspelt flag may mean (4 ms each).
        thorough: whether to read on behind a mistake at which the real parser stops; only the
            findings of such a parse are of use.
    """

    __slots__ = ("config", "hints", "module", "partial", "thorough")

    def __init__(
        self,
        config: Config = no_files,
        *,
        module: bool = False,
        partial: bool = False,
        hints: bool = True,
        thorough: bool = False,
    ) -> None:
        self.config, self.module, self.partial = config, module, partial
        self.hints, self.thorough = hints, thorough

    def quiet(self) -> LineRules:
        """The same without hints: for whether a line is refused."""
        return LineRules(self.config, module=self.module, partial=self.partial, hints=False)

    def throughout(self) -> LineRules:
        """The same, reading on behind mistakes."""
        return LineRules(self.config, module=self.module, partial=self.partial, thorough=True)

    def grammar(self, catalog: Catalog) -> dict[str, Any]:
        """Return the facts about command lines of a version that hold for this one."""
        if not (self.module or self.partial):
            return catalog.grammar
        facts = dict(catalog.grammar)
        if self.module:
            facts["model_option"] = "moved"
        if self.partial:
            facts.pop("model_required", None)
            facts.pop("served_needs_model", None)
        return facts


WHOLE_LINE = LineRules()
PART = LineRules(partial=True)
# What a program adds to the line of the older module.
MODULE_PART = LineRules(module=True, partial=True)


class Refused(Exception):
    """The real parser refuses the command line for this reason."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found)
        self.finding = found


class Occurrence:
    """One use of a flag on the command line.

    Attributes:
        flag: the flag; None for the model given as positional.
        token: as the user wrote it.
        value: typed; True or False of a switch.
    """

    __slots__ = ("flag", "token", "value")

    def __init__(self, flag: Flag | None, token: str, value: Any) -> None:
        self.flag, self.token, self.value = flag, token, value


class Parsed:
    """A command line, read.

    Attributes:
        occurrences: every use of a flag, in the order in which the real parser sees them.
        model: the positional, or None.
        config: the path given to --config when its content was not to be had.
        unknown: tokens that argparse does not recognise: (token, the stray values behind it).
        findings: errors (each is a refusal of the real parser) and remarks.
    """

    __slots__ = ("config", "findings", "model", "occurrences", "unknown")

    def __init__(self) -> None:
        self.occurrences: list[Occurrence] = []
        self.model: str | None = None
        self.config: str | None = None
        self.unknown: list[list[str]] = []
        self.findings: list[Finding] = []


class ParseState:
    """A parse under way.

    Attributes:
        catalog: of the version.
        rules: how the line is to be parsed.
        grammar: the facts about command lines of the version that hold for this one.
        parsed: what was read so far.
    """

    __slots__ = ("catalog", "grammar", "parsed", "rules")

    def __init__(self, catalog: Catalog, rules: LineRules) -> None:
        self.catalog, self.rules, self.grammar = catalog, rules, rules.grammar(catalog)
        self.parsed = Parsed()

    def refuse(self, found: Finding) -> None:
        """Stop, as the real parser does here, or note the mistake and read on.

        Raises:
            Refused: unless the parse is thorough.
        """
        if not self.rules.thorough:
            raise Refused(found)
        self.parsed.findings.append(found)
