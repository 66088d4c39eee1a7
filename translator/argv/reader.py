"""Read command lines: the program in front, the flags of the version, and those that only other
versions have.
"""

from __future__ import annotations

from translator.argv.options import name_of, options_of
from translator.argv.parser import Use, parse
from translator.argv.rewriting import WHOLE_LINE, written
from translator.findings import Finding, finding, has_errors
from translator.settings.changes import as_written, fitted, flag_elsewhere, when
from translator.settings.setting import Reading, Setting
from translator.tables.catalog import CONFIG, MODEL
from translator.tables.versions import runs, span
from translator.values.tokens import BadValue, bad_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from translator.argv.parser import Line
    from translator.argv.rewriting import LineRules
    from translator.settings.scope import Scope


_SERVING = "vllm.entrypoints.openai.api_server"


def strip_command(tokens: list[str]) -> tuple[list[str], bool, list[Finding]]:
    """Remove `vllm serve` or `python -m vllm.entrypoints.openai.api_server` from the front.

    Returns:
        The arguments; without a program, all tokens are. Whether the program was the older module,
        which accepts --model in every version. The finding about another program.
    """
    first = tokens[0].rpartition("/")[2] if tokens else ""
    if first == "serve":
        return tokens[1:], False, []
    if first == "vllm":
        if tokens[1:2] == ["serve"]:
            return tokens[2:], False, []
        facts = {"subcommand": written(tokens[1])} if len(tokens) > 1 else {"command": "vllm"}
        return [], False, [finding("not-vllm-serve", "vllm", **facts)]
    behind = first.removeprefix("python")
    if first == behind or (behind and not behind.replace(".", "").isdecimal()):
        return list(tokens), False, []
    at = 2 if tokens[1:2] != ["-m"] and tokens[1:2] and tokens[1].startswith("-") else 1
    option, *program = tokens[at : at + 3] or [""]
    if option == "-m" and program[:1] == [_SERVING]:
        return tokens[at + 2 :], True, []
    if option == "-m" and program == ["vllm.entrypoints.cli.main", "serve"]:
        return tokens[at + 3 :], False, []
    command = " ".join(map(written, tokens[:3]))
    return [], False, [finding("not-vllm-serve", written(tokens[0]), command=command)]


def read_argv(
    tokens: list[str], scope: Scope, rules: LineRules = WHOLE_LINE, *, strict: bool = False
) -> Reading:
    """Read a whole command line; the arguments are those of `read_line`."""
    line = read_line(tokens, scope, rules, strict=strict)
    settings, findings = settings_of_line(line)
    if line.findings and has_errors(line.findings):
        # What stands behind an unknown option may be its value, and not a second model.
        findings = [item for item in findings if item.case != "model"]
    return Reading(settings, line.missing, findings=[*line.findings, *findings])


def settings_of_line(
    line: Line, label: Callable[[str], str] = str
) -> tuple[list[Setting], list[Finding]]:
    """Return one setting per flag of a parsed line, the model and the config file first.

    Args:
        line: the line.
        label: returns a setting's origin for the token that set it.

    Returns:
        The settings, and the findings about repeated flags and unread config files.
    """
    findings = line.repeated()
    settings = []
    if line.model is not None:
        token = next((item.token for item in line.uses if item.flag is None), line.model)
        settings.append(Setting(MODEL, line.model, label(token)))
    if line.config is not None:
        settings.append(Setting(CONFIG, line.config, label(f"{CONFIG} {line.config}")))
    for name, (value, used) in line.settings().items():
        if name == CONFIG:
            # vLLM reads the file only if the path is a separate token.
            facts = {"given": used[-1], "version": line.catalog.version}
            file = used[-1].partition("=")[2]
            findings.append(finding("config-not-read", CONFIG, file=file, **facts))
        elif name != MODEL or line.model is None:
            settings.append(Setting(name, value, label(used[-1])))
    return settings, findings


# --- flags of other versions


def read_line(
    tokens: list[str], scope: Scope, rules: LineRules = WHOLE_LINE, *, strict: bool = False
) -> Line:
    """Read tokens. If this version refuses them, the flags that only other versions have are read
    as those read them, and left to be replaced.

    Args:
        tokens: the tokens after `vllm serve`.
        scope: the version and the dialect.
        rules: how to parse them.
        strict: whether a flag of another version is a mistake.
    """
    catalog, tables = scope.catalog, scope.tables
    line = parse(tokens, catalog, rules)
    foreign = {} if strict or not line.findings else _foreign(line.tokens, scope)
    if not foreign:
        return line
    names = {name: flag for name in foreign if (flag := flag_elsewhere(name, tables)) is not None}
    given = tuple([written(text).partition("=")[0] for text in foreign.values()])
    dotted = any("." in text.partition("=")[0] for text in foreign.values())
    with_theirs = catalog.with_flags(names, dotted=dotted)
    line = parse(tokens, with_theirs, rules)
    other = ", ".join([span(*run) for run in runs(tables.versions(), _having(foreign, scope))])
    first, version = written(next(iter(foreign.values()))), catalog.version
    about = [finding("written-for-another", first, flags=given, version=version, other=other)]
    flags = {flag.flag: flag for flag in names.values() if flag.flag not in catalog.spellings()}
    line.missing = [
        Setting(name, value, used[-1], was=flags[name])
        for name, (value, used) in line.settings().items()
        if name in flags
    ]
    uses = []
    for item in line.uses:
        if item.flag is None or item.flag is catalog.flag(item.flag.flag):
            uses.append(item)
        elif item.flag.flag not in flags:
            respelled, told = _respelled(item, scope)
            uses.append(respelled)
            about.append(told)
    line.uses, line.findings = uses, [*about, *line.findings]
    return line


def _foreign(tokens: list[str], scope: Scope) -> dict[str, str]:
    """Return the flags of a line that only other versions have, each with the first token that
    names it; none if this version takes each of them for an abbreviation of one of its own.
    """
    catalog, found = scope.catalog, dict[str, str]()
    is_foreign = False
    for text in tokens:
        name = name_of(text)
        if name[:1] == "-" and name not in catalog.spellings() and scope.tables.knowing(name):
            found.setdefault(name, text)
            options = options_of(name, catalog)
            is_foreign = is_foreign or len(options) != 1 or options[0][0] is None
    return found if is_foreign else {}


def _respelled(item: Use, scope: Scope) -> tuple[Use, Finding]:
    """Return the use of a spelling that only other versions have as one of this version's flag, and
    the finding about it.
    """
    theirs, name = item.flag, written(item.token)
    assert theirs is not None
    ours, negated = scope.catalog.spellings()[theirs.flag]
    try:
        value = fitted(ours, item.value, theirs)
    except BadValue as error:
        return item, bad_value(name, str(item.value), ours, error, scope.catalog)
    made = Use(ours, item.token, not value if negated else value)
    facts = {"given": name, "version": scope.catalog.version, **when(name_of(name), scope)}
    facts["write"] = as_written(Setting(ours.flag, made.value, name), scope)
    return made, finding("carried", name.partition("=")[0], case="", **facts)


def _having(names: Iterable[str], scope: Scope) -> list[str]:
    """Return the versions that have all of some flags."""
    known = scope.tables.versions()
    found = list(known)
    for name in names:
        spans = [item.partition("-") for item in scope.tables.knowing(name)]
        parts = [known[known.index(low) : known.index(high or low) + 1] for low, _, high in spans]
        found = [version for version in found if any(version in part for part in parts)]
    return found
