"""The translation of variables, and the pipeline that both, `convert` and `check` consist of.

read → adapt to the version → merge → check → write: a reader returns a `Reading`; `assemble` adapts
it to the version, merges and checks it; a writer writes the result. All of it is pure: no
environment, no file and no clock is read.
"""

from __future__ import annotations

# At run time, for `typing.get_type_hints`; `collections.abc` would be one module more.
from _collections_abc import Iterable, Mapping, Sequence

from translator.core.argv.writer import missing_model, write_argv
from translator.core.env.reader import read_env
from translator.core.env.vllm_variables import misspelt
from translator.core.findings import TranslationError, finding, prevents
from translator.core.settings import Reading
from translator.core.settings.assemble import assemble, at_start
from translator.core.tables.catalog import CONFIG, MODEL
from translator.core.text.words import DEFAULT, Origin, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.core.argv.writer import Group
    from translator.core.findings import Finding
    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope


class Comparable:
    """What a translation gives: equal to another with the same attributes; can be pickled."""

    __slots__ = ()
    _compared: Sequence[str] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            getattr(self, name) == getattr(other, name) for name in self._compared
        )

    __hash__ = None  # type: ignore[assignment]


class Translation(Comparable):
    """A command line for vLLM. Equal to another with the same attributes; can be pickled.

    Attributes:
        argv: ["vllm", "serve", MODEL, …], as list of str.
        env: the environment to start vLLM with, as dict of str to str.
        findings: remarks and warnings, as tuple of `Finding`; no errors.
        version: the vLLM version that it is written for, such as "0.27.1".
        origins: every flag that is set → the variables or tokens that set it.
    """

    __slots__ = ("_done", "_groups", "argv", "env", "findings", "version")
    _compared = ("argv", "env", "findings", "version")

    def __init__(
        self,
        groups: Sequence[Group],
        resolved: Resolved,
        findings: tuple[Finding, ...],
        version: str,
    ) -> None:
        self.argv: list[str] = []
        for _, tokens in groups:
            self.argv += tokens
        self.env, self.findings, self.version = resolved.env, findings, version
        # For this package: the tokens of `argv`, flag by flag, and the settings.
        self._groups, self._done = groups, resolved

    @property
    def origins(self) -> dict[str, list[str]]:
        return self._done.shown_origins()

    def __repr__(self) -> str:
        """Show names and counts only: values may be secret."""
        return (
            f"Translation(vllm={self.version!r}, {len(self.argv)} tokens,"
            f" {len(self.env)} variables, {len(self.findings)} findings)"
        )


def translate_env(
    env: Mapping[str, str],
    scope: Scope,
    about: Sequence[Finding] = (),
    *,
    extra: Sequence[str] = (),
    json_style: str = "compact",
    worker_defaults: bool = False,
    cluster: str | None = None,
) -> Translation:
    """Translate an environment in a given scope; findings `about` the version come first."""
    resolved = settle_env(env, scope, extra, cluster)
    if worker_defaults:
        _add_defaults(resolved, scope)
    groups, remarks = write_line(resolved, scope, "", json_style)
    findings: tuple[Finding, ...] = (*about, *resolved.findings, *remarks)
    if findings:
        findings = refuse_errors(findings, scope, env, resolved.tokens)
    return Translation(groups, resolved, findings, scope.catalog.version)


# --- the steps


def settle_env(
    env: Mapping[str, str], scope: Scope, extra: Sequence[str] = (), cluster: str | None = None
) -> Resolved:
    """Return the settings that a container's variables make in a version."""
    reading = read_env(env, scope)
    if reading.extra is not None or extra:
        _add_extra_tokens(reading, extra, env, scope)
    consumer = scope.consumer
    if scope.dialect.reads:
        from translator.core.env.consumer import about_reads

        reading.findings = about_reads(reading, env, scope)
    if consumer.relay:
        from translator.core.env.consumer import about_relay

        origins = {str(item.origin) for item in reading.settings}
        reading.findings += about_relay(origins, env, consumer.relay, scope)
    if scope.dialect.arguments or consumer.calculates or consumer.overrules:
        from translator.core.env.consumer import platform_arguments

        settings, findings = platform_arguments(scope, reading.settings, env)
        reading.settings[:0] = settings
        reading.findings += findings
    if cluster:
        _add_place(reading, cluster, env, scope)
    resolved = assemble(reading, scope)
    resolved.findings += at_start(resolved.env, resolved, scope)
    if reading.unread:
        resolved.findings += misspelt(reading.unread, scope)
    directory = scope.dialect.model_directory
    if directory and MODEL not in resolved.values and CONFIG not in resolved.values:
        resolved.values[MODEL], resolved.origins[MODEL] = directory, [scope.adds]
        facts = {"directory": directory, "reader": scope.reader}
        resolved.findings.append(finding("platform-default", MODEL, case="model", **facts))
    return resolved


def _add_extra_tokens(
    reading: Reading, extra: Sequence[str], env: Mapping[str, str], scope: Scope
) -> None:
    """Apply the tokens of the dialect's variable, and then those of a caller, to a reading. The
    variable is split by the rules of a POSIX shell. No shell expands it.
    """
    from translator.core.argv.reader import override

    if reading.extra is not None:
        name, text = reading.extra
        try:
            tokens = words(text)
        except ValueError:
            reading.findings.append(finding("bad-extra-args", name, given=f"{name}={text}"))
            return
        override(reading, name, tokens, scope)
    if extra:
        override(reading, "", extra, scope)


def _add_place(reading: Reading, cluster: str, env: Mapping[str, str], scope: Scope) -> None:
    """Add the flags for this machine's rank among several machines."""
    from translator.core.env.cluster import cluster_settings, cluster_variables

    reading.settings, findings = cluster_settings(env, cluster, scope, reading.settings)
    own = cluster_variables(cluster, scope.tables)
    reading.findings = [
        item
        for item in [*reading.findings, *findings]
        if item.code != "reserved-name" or item.subject not in own
    ]
    reading.unread = [name for name in reading.unread if name not in own]


def _add_defaults(resolved: Resolved, scope: Scope) -> None:
    """Add the dialect's documented defaults for flags that are not set."""
    defaults = {
        item.name: item.default
        for item in scope.dialect.variables()
        if item.default is not None and item.role == "flag" and not item.path
    }
    read = {item.origin.text: item for item in read_env(defaults, scope).settings}
    added = []
    for name, item in ((name, read[name]) for name in defaults if name in read):
        flag = scope.catalog.flag(item.flag)
        is_off = item.value is False and flag is not None and flag.kind == "switch"
        if item.flag in resolved.values or item.flag == MODEL or is_off:
            continue
        resolved.values[item.flag] = item.value
        resolved.origins[item.flag] = [Origin(DEFAULT, f"{name} (the worker's default)")]
        added.append(f"{name}={defaults[name]}")
    if added:
        given, count = tuple(added), str(len(added))
        facts = {"count": count, "reader": scope.reader}
        resolved.findings.append(
            finding("worker-default", "--worker-defaults", given=given, **facts)
        )


def write_line(
    resolved: Resolved, scope: Scope, model: str, json_style: str = "compact"
) -> tuple[list[Group], list[Finding]]:
    """Write settings as a command line; return it and the findings about it. `model` is how the
    input names the model, such as "--model"; "" for the dialect's variable.
    """
    groups, findings = write_argv(resolved, scope.catalog, json_style=json_style)
    if MODEL not in resolved.values and (
        CONFIG not in resolved.values or scope.catalog.grammar.model_required
    ):
        findings.append(missing_model(resolved, scope.catalog, model or model_variable(scope)))
    return groups, findings


def model_variable(scope: Scope) -> str:
    """Return the variable that names the model in a dialect."""
    from translator.core.settings.scope import variable_for

    return variable_for(MODEL, scope) or MODEL


def refuse_errors(
    findings: Iterable[Finding], scope: Scope, env: Mapping[str, str], tokens: Sequence[str]
) -> tuple[Finding, ...]:
    """Return the findings as they leave, with every secret of the input masked; raise a
    TranslationError if some are errors, other than what only the engine refuses.
    """
    secrets = scope.secrets
    masked = tuple(secrets.finished(findings, secrets.known(env, tokens)))
    if prevents(masked):
        raise TranslationError(masked)
    return masked
