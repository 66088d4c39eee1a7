"""Read command lines: the program in front, the flags of the version, and those that only other
versions have; and additional tokens, which override variables.
"""

from __future__ import annotations

from translator.core.argv.parser import Use, parse
from translator.core.argv.rewriting import (
    WHOLE_LINE,
    LineRules,
    name_of,
    no_files,
    options_of,
    unrecognised,
    written,
)
from translator.core.argv.writer import moved_secret
from translator.core.findings import Finding, finding, has_errors
from translator.core.settings import Reading, Setting
from translator.core.settings.assemble import assemble
from translator.core.settings.changes import as_written, fitted, flag_elsewhere, without_value
from translator.core.tables.catalog import CHANGES, CONFIG, MODEL
from translator.core.text.words import TOKEN, VARIABLE, Origin
from translator.core.values import BadValue
from translator.core.values import tokens as tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from translator.core.argv.parser import Line
    from translator.core.argv.rewriting import Config
    from translator.core.findings import Fact
    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope


SERVER = "vllm.entrypoints.openai.api_server"


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
    if option == "-m" and program[:1] == [SERVER]:
        return tokens[at + 2 :], True, []
    if option == "-m" and program == ["vllm.entrypoints.cli.main", "serve"]:
        return tokens[at + 3 :], False, []
    command = " ".join(map(written, tokens[:3]))
    item = finding("not-vllm-serve", written(tokens[0]), command=command)
    return [], False, [item.of(Origin(TOKEN, written(tokens[0]), 0))]


def settle_argv(
    argv: Sequence[str], scope: Scope, config: Config | None = None, *, strict: bool = False
) -> Resolved:
    """Return the settings that a command line makes in a version.

    Args:
        argv: the tokens, with or without the program name.
        scope: the version and the dialect.
        config: returns the tokens of a file for --config; without it, --config stays as it is.
        strict: whether a flag of another version is a mistake.
    """
    tokens, is_module, refused = strip_command(list(argv))
    start = len(argv) - len(tokens)
    rules = LineRules(config or no_files, module=is_module, start=start)
    if refused:
        reading = Reading(findings=refused)
    else:
        line = read_line(tokens, scope, rules, strict=strict)
        settings, findings = settings_of_line(line)
        if line.findings and has_errors(line.findings):
            # What stands behind an unknown option may be its value, and not a second model.
            findings = [item for item in findings if item.case != "model"]
        reading = Reading(settings, line.missing, findings=[*line.findings, *findings])
    reading.tokens = list(argv)
    return assemble(reading, scope, quiet=True)


def settings_of_line(
    line: Line, label: Callable[[Origin], Origin] = lambda origin: origin
) -> tuple[list[Setting], list[Finding]]:
    """Return one setting per flag of a parsed line, the model and the config file first, and the
    findings about repeated flags and unread config files; `label` changes their origins.
    """
    findings = line.repeated()
    settings = []
    if line.model is not None:
        settings.append(Setting(MODEL, line.model, label(line.origin_of(line.model_at))))
    if line.config is not None:
        origin = Origin(TOKEN, f"{CONFIG} {line.config}")
        settings.append(Setting(CONFIG, line.config, label(origin)))
    for name, (value, origin) in line.settings().items():
        if name == CONFIG:
            # vLLM reads the file only if the path is a separate token.
            facts = {"version": line.catalog.version, "file": str(value)}
            item = finding("config-not-read", CONFIG, given=str(origin), **facts)
            findings.append(item.of(origin))
        elif name != MODEL or line.model is None:
            settings.append(Setting(name, value, label(origin)))
    return settings, findings


# --- flags of other versions


def read_line(
    tokens: list[str], scope: Scope, rules: LineRules = WHOLE_LINE, *, strict: bool = False
) -> Line:
    """Read tokens. If this version refuses them, the flags that only other versions have are read
    as those read them, and left to be replaced; with `strict`, they are mistakes.
    """
    catalog, tables = scope.catalog, scope.tables
    line = parse(tokens, catalog, rules)
    others = {} if strict or not line.findings else foreign(line.tokens, scope)
    if not others:
        return line
    names = {name: flag for name in others if (flag := flag_elsewhere(name, tables)) is not None}
    dotted = any("." in text.partition("=")[0] for text in others.values())
    with_theirs = catalog.with_flags(names, dotted=dotted)
    line = parse(tokens, with_theirs, rules)
    about: list[Finding] = []
    flags = {flag.flag: flag for flag in names.values() if flag.flag not in catalog.spellings()}
    uses = []
    for item in line.uses:
        if item.flag not in names.values():
            uses.append(item)
        elif item.flag.flag not in flags:
            respelled, note = _respelled(item, scope)
            uses.append(respelled)
            about.append(note)
    for wrong in line.findings:  # a value of theirs is not what is wrong
        name = name_of(str(wrong.facts.get("flag") or wrong.subject))
        about.append(without_value(name, scope).of(wrong.origin) if name in flags else wrong)
    for name, (value, origin) in line.settings().items():
        if name in flags and origin.hole and name in tables.records(CHANGES):
            about.append(without_value(name, scope).of(origin))
        elif name in flags:
            line.missing.append(Setting(name, value, origin, was=flags[name]))
    line.uses, line.findings = uses, about
    return line


def foreign(tokens: list[str], scope: Scope) -> dict[str, str]:
    """Return the flags of a line that only other versions have, each with the first token that
    names it; none if this version takes each of them for an abbreviation of one of its own.
    """
    catalog, found = scope.catalog, dict[str, str]()
    is_foreign = False
    for text in tokens:
        name = name_of(text)
        if name[:1] == "-" and name not in catalog.spellings() and scope.tables.knows(name):
            found.setdefault(name, text)
            options = options_of(name, catalog)
            is_foreign = is_foreign or len(options) != 1 or options[0][0] is None
    return found if is_foreign else {}


def _respelled(item: Use, scope: Scope) -> tuple[Use, Finding]:
    """Return the use of a spelling that only other versions have as one of this version's flag, and
    the finding about it.
    """
    theirs, origin = item.flag, item.origin
    if origin.hole:
        return item, without_value(name_of(origin.text), scope).of(origin)
    spelled = scope.catalog.spelled(theirs.flag)
    assert spelled is not None
    flag, negated = spelled
    try:
        value = fitted(flag, item.value, theirs)
    except BadValue as error:
        from translator.core.values.mistakes import bad_value

        about = bad_value(error, str(origin), flag, scope.catalog, str(item.value))
        return item, about.of(origin)
    made = Use(flag, origin, not value if negated else value)
    facts: dict[str, Fact] = {"given": str(origin), "version": scope.catalog.version}
    facts |= scope.catalog.when(name_of(origin.text))
    if not tokens_of(flag, made.value):  # a switch that is off
        return made, finding("now-default", origin.name, case="", **facts).of(origin)
    write = as_written(Setting(flag.flag, made.value, origin), scope)
    return made, finding("replaced", origin.name, case="", **facts, write=write).of(origin)


# --- tokens that override variables


def override(reading: Reading, origin: str, tokens: Sequence[str], scope: Scope) -> None:
    """Replace the settings that a part of a command line overrides: that of a variable (`origin`),
    or of a caller ("").
    """
    line = read_line(list(tokens), scope, LineRules(partial=True, inside=origin))
    stray = _is_stray(line, tokens, reading, bool(origin))
    wrong = list(line.findings)
    # A token behind an unknown flag is most likely its value.
    unknown = [item.origin.at for item in wrong if item.origin and item.code == "unknown-flag"]
    if line.model is not None and stray:
        of_model = line.origin_of(line.model_at)
        if of_model.at - 1 not in unknown:
            wrong.append(unrecognised(line.model, scope.catalog).of(of_model))
    read, remarks = settings_of_line(line, _of_variable if origin else lambda token: token)
    reading.tokens += tokens
    reading.missing += line.missing
    reading.findings += [item.with_facts(inside=origin) if origin else item for item in wrong]
    reading.findings += remarks
    for item in read:
        if item.flag == MODEL and stray:
            continue
        if others := _put(item, origin, reading, scope):
            names, by = tuple(dict.fromkeys(others)), str(item.origin)
            about = finding("disagreement", by, origin=by, others=names, what=item.flag)
            reading.findings.append(about)


def _put(item: Setting, origin: str, reading: Reading, scope: Scope) -> Sequence[str]:
    """Put a setting of a part of a command line in the place of those of the same flag; return the
    names of what sets something else.
    """
    flag = scope.catalog.flag(item.flag)
    if item.flag == MODEL or flag is None:
        reading.settings.append(item)
        return ()
    beaten = [other for other in reading.settings if other.flag == item.flag]
    reading.settings = [other for other in reading.settings if other.flag != item.flag]
    if variable := scope.secrets.variables.get(item.flag):
        token = Origin(TOKEN, item.flag, item.origin.at)  # without the secret
        item.origin = Origin(VARIABLE, origin) if origin else token
        text, findings = moved_secret(item.value, item.flag, variable, origin)
        reading.findings += [about.of(item.origin) for about in findings]
        if text is not None:
            before = reading.env.get(variable, text)
            reading.env[variable] = text
            return () if before == text else (variable,)
    if flag.kind == "append":
        values: list[Any] = beaten[-1].value if beaten else []
        reading.settings.append(Setting(item.flag, [*values, *item.value], item.origin))
        return ()
    reading.settings.append(item)
    return [str(other.origin) for other in beaten if not _says(item.value, other)]


def _of_variable(token: Origin) -> Origin:
    """Return the origin of a setting whose token a variable holds."""
    return Origin(VARIABLE, token.text, token.at, token.inside, token.hole)


def _says(value: Any, item: Setting) -> bool:
    """Tell whether a flag's value includes a setting with the same value."""
    for key in item.path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return bool(value == item.value)


def _is_stray(line: Line, tokens: Sequence[str], reading: Reading, in_variable: bool) -> bool:
    """Tell whether the token that argparse reads as the model belongs to no flag.

    Examples: `--enforce-eager true`, `--no-such-flag='two words'`. A caller's first token may name
    another model. In a variable with additional tokens, the real parser has no use for a second
    model if the variables already name one.
    """
    model = line.model
    if not model:
        return False
    if model.startswith("-"):
        return True
    named = any(text.partition("=")[0] == MODEL for text in tokens)
    beside = in_variable or tokens[0] != model
    return beside and not named and any(item.flag == MODEL for item in reading.settings)
