"""Parse the command line of `vllm serve` as the real parser of a version does."""

from __future__ import annotations

from translator.argv.argparse_rules import assign
from translator.argv.flexible import rewrite, with_dashes, with_level
from translator.argv.options import option_of
from translator.argv.parsed import (
    MODULE_PART,
    STOP,
    THROUGHOUT,
    VERDICT,
    WHOLE_LINE,
    LineParse,
    LineRules,
    Occurrence,
    Parsed,
    Refused,
)
from translator.findings import Finding, finding
from translator.secrets.masking import MASK, Token, shown_text
from translator.secrets.secrets import secrets_of
from translator.tables.entries import MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag


def stands(text: str, catalog: Catalog) -> bool:
    """Tell whether the real parser reads a separate token as a value, not as an option."""
    if not text.startswith("-"):
        return True
    if rewrites(text, catalog) or ("." in text.partition("=")[0] and catalog.grammar.reads_dots):
        return False
    try:
        return text != "--" and option_of(text, catalog) is None
    except Refused:
        return False


class Misread(Exception):
    """vLLM refuses the tokens that the consumer passes on, or reads them as something else."""


def value_of(tokens: list[str], flag: Flag, catalog: Catalog) -> Any:
    """Return the value that vLLM reads from the tokens of one flag.

    Raises:
        Misread: vLLM refuses the tokens, or they set something else.
    """
    parsed = accepted(tokens, catalog, MODULE_PART)
    if parsed is None:
        raise Misread
    if flag.flag == MODEL and parsed.model is not None and len(tokens) == 2:
        return parsed.model
    found = settings_of(parsed.occurrences)
    if list(found) != [flag.flag] or parsed.model is not None:
        raise Misread
    return found[flag.flag][0]


def parse(tokens: list[str], catalog: Catalog, rules: LineRules = WHOLE_LINE) -> Parsed:
    """Parse the tokens after `vllm serve`, up to the mistake at which the real parser stops.

    Args:
        tokens: the command line.
        catalog: the version's catalog.
        rules: how to parse it.
    """
    return _parse(tokens, catalog, rules, STOP)


def accepted(tokens: list[str], catalog: Catalog, rules: LineRules = WHOLE_LINE) -> Parsed | None:
    """Parse a command line; return None if the real parser refuses it, for whatever reason.

    The arguments are those of `parse`.
    """
    line = _read(tokens, catalog, rules, VERDICT)
    return None if line.findings or line.unknown else line


def whole(
    parsed: Parsed, tokens: list[str], catalog: Catalog, rules: LineRules = WHOLE_LINE
) -> Parsed:
    """Return a parse with the options and the mistakes after the token at which the real parser
    stops, too.
    """
    if not parsed.findings:
        return parsed
    found = _parse(tokens, catalog, rules, THROUGHOUT)
    found.findings = list(dict.fromkeys([*found.findings, *parsed.findings]))
    return found


def _parse(tokens: list[str], catalog: Catalog, rules: LineRules, extent: str) -> LineParse:
    line = _read(tokens, catalog, rules, extent)
    if not line.findings:
        return line
    keys = {
        at: flag
        for at, flag in secrets_of(catalog.tables).like_options(tokens).items()
        if not stands(tokens[at], catalog)
    }
    if keys:
        # A secret may begin with a dash. However argparse reads it, no message may show it.
        rest = [Token(MASK) if at in keys else text for at, text in enumerate(tokens)]
        line = _parse(rest, catalog, rules, extent)
        line.findings[:0] = [
            _like_an_option(flag, catalog)
            for flag in dict.fromkeys(shown_text(flag) for flag in keys.values())
        ]
    return line


def _read(tokens: list[str], catalog: Catalog, rules: LineRules, extent: str) -> LineParse:
    """Return the parse of a line, as far as one was asked for."""
    line = LineParse(tokens, catalog, rules, extent)
    try:
        assign(rewrite(tokens, line), line)
    except Refused as refused:
        line.findings.append(refused.finding)
    return line


def _like_an_option(flag: str, catalog: Catalog) -> Finding:
    return finding("missing-value", flag, case="dash", flag=flag, version=catalog.version)


def rewrites(text: str, catalog: Catalog) -> bool:
    """Tell whether vLLM rewrites a token before argparse, as it does with option-like values."""
    return with_level([with_dashes(text, catalog.grammar)], catalog.grammar) != [text]


def settings_of(occurrences: list[Occurrence]) -> dict[str, tuple[Any, list[str]]]:
    """Return what argparse leaves in the namespace: flag → its value and the tokens that set it.

    The last use wins; values of append flags accumulate.
    """
    found: dict[str, tuple[Any, list[str]]] = {}
    for item in occurrences:
        if item.flag is None:
            continue
        name = item.flag.flag
        if item.flag.kind == "append":
            values, tokens = found.setdefault(name, ([], []))
            values.append(item.value)
            tokens.append(item.token)
        else:
            found[name] = (item.value, [item.token])
    return found


def repeated(occurrences: list[Occurrence], version: str) -> list[Finding]:
    """Return a remark for every use of a flag that a later use overrides."""
    last: dict[str, Occurrence] = {}
    found: list[Finding] = []
    for item in occurrences:
        if item.flag is None or item.flag.kind == "append":
            continue
        before = last.get(item.flag.flag)
        if before is not None and before.value != item.value:
            first, second = (text.partition("=")[0] for text in (before.token, item.token))
            found.append(
                finding(
                    "repeated-flag",
                    item.flag.flag,
                    version=version,
                    given=second,
                    earlier=first if first != second else "",
                )
            )
        last[item.flag.flag] = item
    if MODEL in last and any(
        item.flag is None and item.value != last[MODEL].value for item in occurrences
    ):  # up to 0.7
        found.append(finding("repeated-flag", MODEL, case="model", version=version))
    return found
