"""Check an environment or a command line for one version; return findings only."""

from __future__ import annotations

from translator.core.argv.reader import foreign, settle_argv, strip_command
from translator.core.argv.rewriting import index_of, name_of
from translator.core.argv.writer import about_model_name, secrets_on
from translator.core.env.reader import read_env
from translator.core.findings import Finding, TranslationError, finding, prevents
from translator.core.settings import Reading
from translator.core.settings.assemble import assemble, at_start
from translator.core.settings.changes import without_value
from translator.core.tables.catalog import CONFIG, MODEL
from translator.core.tables.versions import shown_runs
from translator.core.text.words import TOKEN, Origin, unusable
from translator.core.translate import translate_env
from translator.core.values import assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.core.argv.rewriting import Config
    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Tables


def check_env(
    env: Mapping[str, str],
    scope: Scope,
    before: Scope | None = None,
    *,
    extra: Sequence[str] = (),
    cluster: str | None = None,
) -> list[Finding]:
    """Return the findings about an environment before vLLM starts with it.

    Args:
        before: the version that vLLM comes from, if it is moved from one to another.
        extra: tokens that override the variables.
        cluster: the scheduler whose rank variables to read; if none of those is set, the
            environment is checked as that of two machines.
    """
    places: Sequence[Mapping[str, str]] = [{}]
    findings: list[Finding] = []
    if cluster and scope.tables.cluster(cluster) and is_unplaced(env, cluster, scope.tables):
        places = _stand_ins(cluster, scope.tables)
        findings.append(finding("example-ranks", "cluster", cluster=cluster))
    is_made_up = bool(findings)
    for place in places:
        try:
            translation = translate_env({**env, **place}, scope, extra=extra, cluster=cluster)
            findings += [
                *translation.findings,
                *_moved(translation._done, before, scope, in_variables=True),
            ]
        except TranslationError as error:
            from translator.advice.typed import as_typed_in

            findings += as_typed_in(env, error.findings, scope)
    if is_made_up:
        # How many machines there are is made up, too; and where another program joins them,
        # whether the others have these variables.
        findings = [item for item in dict.fromkeys(findings) if not item.has_trait("machines")]
    return findings


def is_unplaced(env: Mapping[str, str], cluster: str, tables: Tables) -> bool:
    """Return whether no variable tells which machine this is, as in a file shared by all."""
    parts = tables.cluster(cluster)
    names = (*parts.get("nodes", ()), *parts.get("rank", ()))
    return not any(env.get(name, "").strip() for name in names)


def _stand_ins(cluster: str, tables: Tables) -> list[dict[str, str]]:
    """Return the variables of the first and second of two machines."""
    parts = tables.cluster(cluster)
    address = (parts.get("address") or parts["host_list"])[0]
    return [
        {parts["nodes"][0]: "2", parts["rank"][0]: rank, address: "first"} for rank in ("0", "1")
    ]


def check_argv(
    argv: Sequence[str],
    env: Mapping[str, str],
    scope: Scope,
    config: Config | None = None,
    before: Scope | None = None,
) -> list[Finding]:
    """Return the findings about a command line and vLLM's own variables given with it.

    Judged, there is an error exactly if the version's parser refuses the command line, or its
    engine refuses to start with it: nothing translates it before vLLM reads it.

    Args:
        config: returns the tokens of a file for --config.
        before: the version that vLLM comes from, if it is moved from one to another.
    """
    resolved = settle_argv(argv, scope, config)
    readable = not prevents(resolved.findings)
    findings = list(resolved.findings)
    if not readable:
        from translator.advice.typed import as_typed

        findings = as_typed(findings, argv, scope.catalog)
    if not any(item.has_trait("no-server") for item in findings):
        findings += _about_line(resolved, scope, readable=readable)
        findings += _unpassable(argv, scope)
    findings += check_own(env, scope)
    if readable:
        findings += at_start(env, resolved, scope, module=strip_command(list(argv))[1])
    if findings:
        known = scope.secrets.known(env, resolved.tokens)
        findings = scope.secrets.finished(findings, known)
    if readable:  # what is said of defaults quotes nothing
        resolved.env = {**resolved.env, **env}
        findings += _moved(resolved, before, scope, in_variables=False)
    return findings


def _about_line(resolved: Resolved, scope: Scope, *, readable: bool) -> list[Finding]:
    """Return the findings about a command line as a whole: its secrets and its model."""
    findings = []
    for name, variable in scope.secrets.variables.items():
        if (value := resolved.values.get(name)) is not None:
            case = "several" if isinstance(value, list) and len(value) > 1 else ""
            facts = {"flag": name, "origin": name, "variable": variable}
            item = finding("secret-on-argv", name, case=case, **facts)
            findings.append(item.of(resolved.origins[name][0]))
    findings += secrets_on(resolved, scope.catalog, resolved.values)
    if MODEL in resolved.values:
        model, origin = resolved.values[MODEL], resolved.origins[MODEL][0]
        remarks = about_model_name(model, origin, scope.catalog)
        findings += [item for item in remarks if item.severity != "error"]
    elif readable and CONFIG not in resolved.values:
        # Without one, vLLM's parser takes a line or refuses it; this one it took. From 0.17 on it
        # refuses a served name alone, but not an abbreviation of that flag.
        findings.append(finding("no-model", MODEL, version=scope.catalog.version, variable=""))
    return findings


def _unpassable(argv: Sequence[str], scope: Scope) -> list[Finding]:
    """Return the findings about tokens that no program can be started with."""
    findings = []
    for at, token in enumerate(argv):
        if case := unusable(token):
            options = [text for text in (token, *argv[at - 1 : at]) if text.startswith("-")]
            name = options[0].partition("=")[0] if options else "vllm serve"
            origin = Origin(TOKEN, name, index_of(token, at))
            findings.append(finding("bad-text", name, case=case, name=name).of(origin))
    return findings


def _moved(
    resolved: Resolved, before: Scope | None, scope: Scope, *, in_variables: bool
) -> list[Finding]:
    """Return the findings about defaults that differ from those of the version before."""
    if before is None or before.equals(scope):
        return []
    from translator.core.settings.defaults import old_defaults

    return old_defaults(resolved, before, scope, in_variables=in_variables)


def check_own(env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return the findings about vLLM's own among the variables, beside a command line."""
    own = scope.own_variables(env)
    if not own:
        return []
    reading = read_env(own, scope)
    resolved = assemble(Reading(missing=reading.missing, findings=reading.findings), scope)
    refused = {item.subject: item.facts for item in resolved.findings if item.severity == "error"}
    # The version reads none of these, so it refuses no value of theirs.
    idle = refused.keys() & {item.flag for item in reading.missing}
    findings = [item for item in resolved.findings if item.subject not in idle]
    for name in sorted(idle):
        about = {fact: refused[name].get(fact, "") for fact in ("choices", "expected")}
        given = assignment(name, own[name])
        findings.append(without_value(name, scope, "value", given=given, **about))
    return [_uncorrected(item, scope) for item in findings]


def _uncorrected(item: Finding, scope: Scope) -> Finding:
    """Return the finding about a variable as it is, where no translation corrects it."""
    if not item.has_trait("corrected"):
        return item
    variable = scope.catalog.variable(item.subject)
    if item.code == "service-link" and (variable is None or variable.kind == "unread"):
        return finding(item.code, item.subject, case="unread", **item.facts)
    return item.with_facts(used="", removed="", variable="")


def written_for(argv: Sequence[str], scope: Scope) -> str | None:
    """Return the versions that have all flags of a command line, such as "0.6.6 to 0.12.0", and ""
    if none has; None if this version has them.
    """
    tokens = strip_command(list(argv))[0]
    if not foreign(tokens, scope):
        return None
    names = {name_of(token) for token in tokens if token[:1] == "-"}
    known = filter(scope.tables.knows, names)
    versions = scope.tables.versions()
    return shown_runs(versions, set(versions).intersection(*map(scope.tables.having, known)))
