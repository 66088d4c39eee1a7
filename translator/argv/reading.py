"""Read a command line into a `Reading`, the start of a translation."""

from __future__ import annotations

from translator.argv.other_versions import Line, written_for
from translator.argv.parsed import WHOLE_LINE, LineRules, model_token
from translator.argv.reader import parse, repeated, settings_of, whole
from translator.findings import Finding, finding, has_errors
from translator.settings.setting import Reading, Setting
from translator.tables.entries import CONFIG, MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from translator.argv.parsed import Parsed
    from translator.naming.scope import Scope


def read_line(
    tokens: list[str],
    scope: Scope,
    rules: LineRules = WHOLE_LINE,
    *,
    strict: bool = False,
) -> Line:
    """Read tokens, with flags of other versions if this version refuses them.

    Args:
        tokens: the tokens after `vllm serve`.
        scope: the version and the dialect.
        rules: how to parse them.
        strict: whether a flag of another version is a mistake.
    """
    parsed = parse(tokens, scope.catalog, rules)
    if not parsed.findings:
        return Line(parsed)
    if not strict:
        found = written_for(parsed, tokens, scope, rules)
        if found is not None:
            return found
    parsed = whole(parsed, tokens, scope.catalog, rules)
    return Line(parsed, findings=parsed.findings)


def read_argv(
    tokens: list[str], scope: Scope, rules: LineRules = WHOLE_LINE, *, strict: bool = False
) -> Reading:
    """Read a whole command line; the arguments are those of `read_line`."""
    line = read_line(tokens, scope, rules, strict=strict)
    settings, findings = settings_of_line(line.parsed, scope.catalog.version)
    if has_errors(line.findings):
        # What stands behind an unknown option may be its value, and not a second model.
        findings = [item for item in findings if item.case != "model"]
    return Reading(settings, line.missing, findings=[*line.findings, *findings])


def settings_of_line(
    parsed: Parsed, version: str, label: Callable[[str], str] = str
) -> tuple[list[Setting], list[Finding]]:
    """Return one setting per flag of a parsed line, the model and the config file first.

    Args:
        parsed: the line.
        version: the parser's version.
        label: returns a setting's origin for the token that set it.

    Returns:
        The settings, and the findings about repeated flags and unread config files.
    """
    findings = repeated(parsed.occurrences, version)
    settings = []
    if parsed.model is not None:
        settings.append(Setting(MODEL, parsed.model, label(model_token(parsed))))
    if parsed.config is not None:
        settings.append(Setting(CONFIG, parsed.config, label(f"{CONFIG} {parsed.config}")))
    for name, (value, used) in settings_of(parsed.occurrences).items():
        if name == CONFIG:
            findings.append(_unread_config(used[-1], version))
        elif name != MODEL or parsed.model is None:
            settings.append(Setting(name, value, label(used[-1])))
    return settings, findings


def _unread_config(token: str, version: str) -> Finding:
    """Return a finding: vLLM reads the file of `--config` only if the path is a separate token."""
    file = token.partition("=")[2]
    return finding("config-not-read", CONFIG, given=token, version=version, file=file)
