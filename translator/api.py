"""The two translations, pure: they read no environment, no file and no clock."""

from __future__ import annotations

from translator import argv as argv_writer
from translator import environ
from translator.argv import CONFIG, MODEL
from translator.assemble import Assembled, assemble
from translator.catalog import shipped
from translator.findings import Finding, TranslationError, finding, has_errors, show
from translator.misspelt import misspelt
from translator.scope import scope as scope_of
from translator.secrets import TOO_SHORT, hidden_values, masked, may_hold_a_secret
from translator.settings import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.catalog import Catalog, Flag, Tables
    from translator.grammar import Config
    from translator.scope import Scope
    from translator.tokens import Parsed


_TEXT = frozenset((str,))


class Translation:
    """A command line for vLLM.

    Attributes:
        argv: ["vllm", "serve", MODEL, …].
        env: the environment to start vLLM with.
        findings: what is worth knowing.
        version: of the table that was used.
    """

    __slots__ = ("_catalog", "_done", "_groups", "argv", "env", "findings", "version")

    def __init__(self, groups: list[list[str]], env: dict[str, str], findings: tuple[Finding, ...], done: Assembled, catalog: Catalog) -> None:
        self.argv: list[str] = []
        for group in groups:
            self.argv += group
        self.env, self.findings, self.version = env, findings, catalog.version
        self._groups, self._done, self._catalog = groups, done, catalog

    @property
    def origins(self) -> dict[str, list[str]]:
        """Every flag that is set, and the variables or tokens that it came from."""
        return self._done.origins

    @property
    def groups(self) -> list[tuple[list[str], list[str]]]:
        """The tokens of `argv`, flag by flag, each with the variables or tokens that it came from."""
        return _origins(self._groups, self._done, self._catalog)


class Variables:
    """A container's variables.

    Attributes:
        env: the variables, in the dialect.
        findings: what is worth knowing.
    """

    __slots__ = ("env", "findings", "origins", "version")

    def __init__(self, env: dict[str, str], findings: tuple[Finding, ...], origins: dict[str, list[str]], version: str) -> None:
        self.env, self.findings, self.origins, self.version = env, findings, origins, version


def env_to_args(
    env: Mapping[str, str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    extra: Sequence[str] = (),
    json_style: str = "compact",
    worker_defaults: bool = False,
    cluster: str | None = None,
    tables: Tables | None = None,
) -> Translation:
    """A container's variables as the command line of `vllm serve`.

    Args:
        env: the variables.
        vllm: the version to write for; else TRANSLATE_VLLM_VERSION in `env`, else the newest known.
        dialect: which table gives the variables their meaning.
        extra: tokens that win over the variables.
        json_style: "compact", or "dotted" for `--flag.key=value` where the version knows it and the value survives.
        worker_defaults: add the defaults that the dialect's table documents.
        cluster: which table gives the variables their meaning by which a scheduler tells each of several machines its place.
        tables: other tables than the shipped ones.

    Raises:
        TranslationError: the input has mistakes; all of them are in its `findings`.
    """
    told: list[Finding] = []
    if type(env) is not dict or not _are_texts(env):
        from translator import texts

        env, told = texts.environment(env)
    if extra:
        extra = _tokens(extra)
    scope, about_version = scope_of(vllm, dialect, env, tables or shipped())
    return translate_env(env, scope, [*about_version, *told], extra, json_style, worker_defaults, cluster)


def _are_texts(env: Mapping[str, str]) -> bool:
    try:
        "".join(env)
        "".join(env.values())  # the quickest way to ask: 1 µs for 58 variables
    except TypeError:
        return False
    return True


def _tokens(argv: Sequence[str]) -> list[str]:
    """The tokens of a command line.

    Raises:
        TranslationError: they are no texts.
    """
    if type(argv) is not list or not _TEXT.issuperset(map(type, argv)):
        from translator import texts

        return texts.tokens(argv)
    return argv


def translate_env(
    env: Mapping[str, str],
    scope: Scope,
    findings: list[Finding],
    extra: Sequence[str],
    json_style: str,
    worker_defaults: bool,
    cluster: str | None = None,
) -> Translation:
    """`env_to_args`, with the scope at hand."""
    reading = environ.read(env, scope)
    findings += reading.findings
    settings = list(reading.settings)
    missing = list(reading.missing)
    further: list[str] = []
    for origin, tokens in _further(reading.extra, extra, findings) if reading.extra or extra else ():
        further += tokens
        _add_tokens(origin, tokens, scope, settings, missing, reading.env, findings)
        if origin and scope.watched:
            from translator.consumed import overrule

            findings += overrule(origin, env, scope, settings)
    if "arguments" in scope.facts or scope.calculates:
        settings[:0] = environ.arguments(scope, {item.flag for item in settings}, findings)
    if cluster:
        from translator.cluster import lay

        lay(env, cluster, scope, settings, findings)
    done = assemble(settings, missing, scope)
    if worker_defaults:
        add_defaults(done, scope)
    findings += done.findings
    reading.env.update(done.variables)
    if reading.unread:
        findings += misspelt(reading.unread, scope)
    directory = scope.facts.get("model_directory")
    if directory and MODEL not in done.values and CONFIG not in done.values:
        done.values[MODEL], done.origins[MODEL] = directory, [scope.adds]
        findings.append(finding("consumer-default", MODEL, f"no variable names a model: it is taken from {directory}, where the dialect {scope.name} has it"))
    groups, said, fresh = argv_writer.write(done, scope.catalog, json_style=json_style)
    findings += said
    if MODEL not in done.values and (CONFIG not in done.values or scope.catalog.grammar.get("model_required")):
        findings.append(argv_writer.missing_model(done, scope.catalog, _model_variable(scope)))
    if fresh:
        findings += argv_writer.secrets_on(done, scope.catalog, scope.secrets, fresh)
    if findings:
        findings = guarded(findings, [*hidden_values(env, scope.secrets), *secret_values(done, scope), *scope.secrets.in_tokens(further)])
        if has_errors(findings):
            raise TranslationError(findings)
    return Translation(groups, reading.env, tuple(findings), done, scope.catalog)


def guarded(findings: list[Finding], hidden: list[str]) -> list[Finding]:
    """The findings, each once, with every secret value masked, whatever way it came in; the last line of defence, not the first."""
    findings = list(dict.fromkeys(findings))
    return masked(findings, [item for item in hidden if len(item) > TOO_SHORT])


def _model_variable(scope: Scope) -> str:
    from translator.envwriter import variable_for

    flag = scope.catalog.flag(MODEL)
    return (variable_for(flag, scope) if flag is not None else None) or "the model"


def _further(variable: tuple[str, str] | None, extra: Sequence[str], findings: list[Finding]) -> list[tuple[str, list[str]]]:
    """The token lists that are added: the dialect's variable, split as a POSIX shell would (no shell sees it), then the caller's."""
    found: list[tuple[str, list[str]]] = []
    if variable is not None:
        import shlex

        try:
            found.append((variable[0], shlex.split(variable[1])))
        except ValueError as error:
            findings.append(finding("bad-extra-args", variable[0], f"{variable[0]} cannot be split into tokens: {str(error).lower()}", "close the quote"))
    if extra:
        found.append(("", list(extra)))
    return found


def _add_tokens(
    origin: str,
    tokens: list[str],
    scope: Scope,
    settings: list[Setting],
    missing: list[tuple[Setting, Flag | None]],
    env: dict[str, str],
    findings: list[Finding],
) -> None:
    """Lay the settings of a token list over those of the variables."""
    from translator.argparser import unrecognised
    from translator.grammar import parse, repeated, settings_of

    tokens = list(scope.secrets.clean_tokens(tokens))
    parsed = parse(tokens, scope.catalog, partial=True)
    parsed, told = _of_another_version(parsed, tokens, scope, missing)
    findings += _from(origin, told)
    findings += repeated(parsed.occurrences)
    if parsed.model is not None and _is_stray(parsed.model, tokens, settings, told_by_variable=bool(origin)):
        if not any(item.code == "unknown-flag" for item in told):  # whose value it most likely is
            findings += _from(origin, [unrecognised([model_token(parsed)], scope.catalog)])
    elif parsed.model is not None:
        settings.append(Setting(MODEL, parsed.model, origin or model_token(parsed)))
    if parsed.config is not None:
        settings.append(Setting(CONFIG, parsed.config, origin or CONFIG))
    for name, (value, used) in settings_of(parsed.occurrences).items():
        flag = scope.catalog.flag(name)
        assert flag is not None
        if name == CONFIG:
            findings.append(unread_config(used[-1], scope.catalog.version))
        if (name == MODEL and parsed.model is not None) or name == CONFIG:
            continue
        label = f"{origin} ({used[-1]})" if origin else used[-1]
        carrier = scope.secrets.carriers.get(name)
        if carrier:
            from translator import secretflags

            where, text = secretflags.placed(value)
            findings += secretflags.told(where, name, carrier, origin)
            if where == secretflags.CARRIED:
                if env.get(carrier, text) != text:
                    findings.append(_overridden(origin or name, name, [carrier]))
                env[carrier] = text
                settings[:] = [item for item in settings if item.flag != name]  # several, of a variable that these tokens win over
                continue
            label = origin or name
        if flag.kind == "append":
            before: list[Any] = next((item.value for item in reversed(settings) if item.flag == name), [])
            value = [*before, *value]
        beaten = [item for item in settings if item.flag == name]
        others = list(dict.fromkeys(item.origin for item in beaten if flag.kind != "append" and not _says(value, item)))
        if others:
            findings.append(_overridden(label, name, others))
        settings[:] = [item for item in settings if item.flag != name]
        settings.append(Setting(name, value, label))


def _from(origin: str, told: list[Finding]) -> list[Finding]:
    """Findings about tokens, which say in which variable they stand."""
    return told if not origin else [Finding(item[0], item[1], item[2], f"{origin}: {item[3]}", item[4]) for item in told]


def _says(value: Any, item: Setting) -> bool:
    """Whether a flag's value says what a setting said."""
    for key in item.path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return bool(value == item.value)


def _overridden(origin: str, name: str, others: list[str]) -> Finding:
    message = f"{origin} and {', '.join(others)} set {name} to different values: {origin} wins, and nothing of the other is kept"
    return finding("disagreement", origin, message, f"set {name} once")


def unread_config(token: str, version: str) -> Finding:
    """vLLM replaces `--config` by what its file says only where the file is a token of its own; argparse then reads the joined form, which nobody asks for."""
    file = token.partition("=")[2]
    return finding(
        "config-not-read", CONFIG, f"{show(token)}: vLLM {version} reads no file for {CONFIG} when it is joined by =", f"write {CONFIG} {show(file)}"
    )


def model_token(parsed: Parsed) -> str:
    """The token that named the model, as messages may show it."""
    return next((item.token for item in parsed.occurrences if item.flag is None), parsed.model or "")


def _is_stray(model: str, tokens: list[str], settings: list[Setting], *, told_by_variable: bool) -> bool:
    """Whether what argparse would take for the model belongs to no flag: `--enforce-eager true`, or `--no-such-flag='two words'`.

    A caller's first token may be another model; in a variable for further tokens, behind the model of the others, the real parser has no use for it.
    """
    if model.startswith("-"):
        return True
    named = any(text.partition("=")[0] == MODEL for text in tokens)
    return (told_by_variable or tokens[0] != model) and not named and any(item.flag == MODEL for item in settings)


def _of_another_version(parsed: Parsed, tokens: list[str], scope: Scope, missing: list[tuple[Setting, Flag | None]]) -> tuple[Parsed, list[Finding]]:
    """A token list that this version refuses only for flags that another one has: read as that one does, to be carried over."""
    if not parsed.findings:
        return parsed, []
    from translator.grammar import all_mistakes
    from translator.origin import written_for

    found = written_for(parsed, tokens, scope, partial=True)
    if found is None:
        return parsed, all_mistakes(parsed, tokens, scope.catalog, partial=True)
    missing += found.missing
    return found.parsed, found.findings


def _origins(groups: list[list[str]], done: Assembled, catalog: Catalog) -> list[tuple[list[str], list[str]]]:
    found = []
    for at, group in enumerate(map(list, groups)):
        name = MODEL if at == 0 else group[0].partition("=")[0].partition(".")[0]
        found.append((group, done.origins.get(name) or next((origins for flag, origins in done.origins.items() if _writes(flag, group, done, catalog)), [])))
    return found


def _writes(name: str, group: list[str], done: Assembled, catalog: Catalog) -> bool:
    """Whether a group that begins with a negation belongs to this flag."""
    flag = catalog.flag(name)
    return done.values.get(name) is False and flag is not None and flag.off == group[0]


def add_defaults(done: Assembled, scope: Scope) -> None:
    """The defaults that the dialect's table documents, where nothing is set."""
    from translator.values import BadValue, from_variable

    for name, fields in scope.dialect.items():
        default = fields.get("default")
        if default is None or fields.get("role") != "flag" or fields.get("key"):
            continue
        role = scope.role(name)
        if role is None or role.kind != "flag" or role.flag is None or role.flag.flag in done.values or role.flag.flag == MODEL:
            continue
        try:
            value, _ = from_variable(role.flag, default)
        except BadValue:
            continue  # a default of another time that this version does not take
        if fields.get("inverted") and isinstance(value, bool):
            value = not value
        if value is False and role.flag.kind == "switch":
            continue
        done.values[role.flag.flag] = value
        done.origins[role.flag.flag] = [f"{name} (the worker's default)"]
        done.findings.append(
            finding("worker-default", name, f"{name}={default}: the default that the dialect's table documents", f"set {name} to say something else")
        )


def args_to_env(
    argv: Sequence[str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    config: Config | None = None,
    env: Mapping[str, str] | None = None,
    tables: Tables | None = None,
) -> Variables:
    """A command line of `vllm serve` as a container's variables.

    Args:
        argv: the tokens, with or without the leading `vllm serve` or `python -m vllm.entrypoints.openai.api_server`.
        vllm: the version that it is read for; else the newest known.
        dialect: which table names the variables.
        config: gives the tokens of a file for --config (see `translator.configfile`); without it the file stays a file.
        env: the variables that stood in front of the command.
        tables: other tables than the shipped ones.

    Raises:
        TranslationError: the real parser of the version refuses it, or the dialect cannot say it.
    """
    from translator import envwriter
    from translator.command import strip_command

    tables = tables or shipped()
    argv = _tokens(argv)
    told: list[Finding] = []
    if env:
        from translator import texts

        env, told = texts.environment(env)
    scope, about_version = scope_of(vllm, dialect, env or {}, tables)
    stripped = strip_command(argv)
    findings = [*about_version, *told, *stripped.findings]
    done = assemble_argv(stripped.tokens, scope, findings, config, module=stripped.module)
    findings += done.findings
    findings += argv_writer.secrets_on(done, scope.catalog, scope.secrets)
    written, told = envwriter.write(done, scope)
    findings += told
    if env:
        from translator.secretflags import unused

        for name, text in env.items():
            findings += unused(name, scope)
            written.setdefault(name, text)
    if findings:
        hidden = scope.secrets.in_tokens(argv)
        if hidden and type(argv[0]) is str:
            # Once more, with tokens that show nothing secret where they come from: there is something to tell.
            return args_to_env(scope.secrets.clean_tokens(argv), vllm, dialect, config=config, env=env, tables=tables)
        findings = guarded(findings, [*secret_values(done, scope), *hidden_values(env or {}, scope.secrets), *hidden])
        if has_errors(findings):
            raise TranslationError(findings)
    return Variables(written, tuple(findings), done.origins, scope.catalog.version)


def secret_values(done: Assembled, scope: Scope) -> list[str]:
    """The secret texts among the values that are set."""
    found: list[str] = []
    for name, value in done.values.items():
        if name in scope.secrets.carriers:
            found += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]
        elif may_hold_a_secret(value):
            found += scope.secrets.in_value(value)
    return found


def assemble_argv(tokens: list[str], scope: Scope, findings: list[Finding], config: Config | None, *, module: bool = False) -> Assembled:
    """A token list, read and assembled for the scope's version; findings of the reading are added to `findings`."""
    from translator.grammar import all_mistakes, no_files, parse, repeated, settings_of

    parsed = parse(tokens, scope.catalog, config or no_files, module=module)
    missing: list[tuple[Setting, Flag | None]] = []
    if parsed.findings:
        from translator.origin import written_for

        found = written_for(parsed, tokens, scope, config=config or no_files, module=module)
        if found is not None:
            parsed, missing = found.parsed, found.missing
            findings += found.findings
        else:
            findings += all_mistakes(parsed, tokens, scope.catalog, config or no_files, module=module)
    settings: list[Setting] = []
    uses = settings_of(parsed.occurrences)
    findings += repeated(parsed.occurrences)
    model = parsed.model
    if model is not None:
        uses.pop(MODEL, None)
        settings.append(Setting(MODEL, model, model_token(parsed)))
    if parsed.config is not None:
        settings.append(Setting(CONFIG, parsed.config, f"{CONFIG} {parsed.config}"))
    for name, (value, used) in uses.items():
        if name == CONFIG:
            findings.append(unread_config(used[-1], scope.catalog.version))
            continue
        settings.append(Setting(name, value, used[-1]))
    return assemble(settings, missing, scope, quiet=True)


__all__ = ["Translation", "TranslationError", "Variables", "args_to_env", "env_to_args"]
