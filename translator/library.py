"""The public functions besides the two translations. All but `check_file` are pure.

They use the shipped tables, or those that `Tables.load` has read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from translator import inputs
from translator.advice.check import check_argv, check_env
from translator.advice.hints import differences
from translator.advice.remedies import Input, advised
from translator.core.convert import Move, Variables, argv_to_env, convert_argv, convert_env
from translator.core.findings import Finding, TranslationError, UsageError, finding
from translator.core.tables import catalog
from translator.core.tables.catalog import shipped
from translator.core.translate import Translation
from translator.deployments.judge.severity import facts_of_line, judged
from translator.deployments.judge.verdict import check_program, is_program
from translator.formats.engine_args import command_line, engine_args
from translator.formats.env_files import secret_files
from translator.reference.lookup import Page, look_up
from translator.reference.versions import flag_json, version_diff
from translator.translations import args_to_env, env_to_args, named_scope

if TYPE_CHECKING:
    from translator.core.settings.scope import Scope
    from translator.documents import DiffJson, FlagJson
else:
    DiffJson = FlagJson = dict[str, Any]  # making the class takes as long as ten translations


class Tables(catalog.Tables):
    """The tables used by translations: facts of every vLLM version, dialects, changes."""

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> Tables:
        """Read a directory of your own tables and overlay them on the shipped ones.

        Args:
            directory: contains `dialects/NAME.toml`, `catalogs/VERSION.json` and so on, as in
                mappings/.

        Returns:
            Tables for the argument `tables` of every function.

        Raises:
            TablesError: the tables have mistakes; the message lists all of them, with their files.
        """
        from pathlib import Path

        from translator.maintain.compile import compile_overlay

        return cls(compile_overlay(Path(directory)))


@overload
def convert(
    given: Mapping[str, str],
    source: str,
    target: str,
    *,
    dialect: str = ...,
    to_dialect: str | None = ...,
    env: Mapping[str, str] | None = ...,
    to_variables: bool = ...,
    pin_defaults: bool = ...,
    tables: catalog.Tables | None = ...,
) -> Variables: ...
@overload
def convert(
    given: Sequence[str],
    source: str,
    target: str,
    *,
    dialect: str = ...,
    to_dialect: str | None = ...,
    env: Mapping[str, str] | None = ...,
    to_variables: Literal[True],
    pin_defaults: bool = ...,
    tables: catalog.Tables | None = ...,
) -> Variables: ...
@overload
def convert(
    given: Sequence[str],
    source: str,
    target: str,
    *,
    dialect: str = ...,
    to_dialect: str | None = ...,
    env: Mapping[str, str] | None = ...,
    to_variables: Literal[False] = ...,
    pin_defaults: bool = ...,
    tables: catalog.Tables | None = ...,
) -> Translation: ...
def convert(
    given: Mapping[str, str] | Sequence[str],
    source: str,
    target: str,
    *,
    dialect: str = "runpod",
    to_dialect: str | None = None,
    env: Mapping[str, str] | None = None,
    to_variables: bool = False,
    pin_defaults: bool = False,
    tables: catalog.Tables | None = None,
) -> Translation | Variables:
    """Convert variables or a command line written for one vLLM into the same for another.

    Args:
        given: the variables as a mapping, or the tokens of a command line as a sequence.
        source: the version that it was written for, such as "0.10.2".
        target: the version to convert it to.
        dialect: the platform naming scheme of the variables.
        to_dialect: the platform naming scheme of the result; defaults to `dialect`.
        env: for a command line, the variables in front of it.
        to_variables: for a command line, return variables for the target.
        pin_defaults: write the defaults of the source that differ in the target, and matter.
        tables: tables to use instead of the shipped ones.

    Returns:
        `Variables` for variables (or with `to_variables`), else a `Translation`.

    Raises:
        TranslationError: `given` has mistakes, or the target cannot express it.

    >>> convert({"MODEL_NAME": "m", "TASK": "embed"}, "0.12.0", "0.33.0").env
    {'CONVERT': 'embed', 'MODEL_NAME': 'm', 'RUNNER': 'pooling'}
    """
    here, about_source = named_scope(source, dialect, {}, tables)
    there, about_target = named_scope(target, to_dialect or dialect, {}, tables)
    about = dict.fromkeys((*about_source, *about_target))
    move = Move(here, there, pin=pin_defaults)
    tokens, variables, findings = _read(given, env)
    converted: Translation | Variables
    if tokens is None:
        converted = convert_env(variables, move)
    else:
        converted = (argv_to_env if to_variables else convert_argv)(tokens, variables, move)
    converted.findings = (*about, *findings, *converted.findings)
    return converted


def check(
    given: Mapping[str, str] | Sequence[str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    env: Mapping[str, str] | None = None,
    cluster: str | None = None,
    tables: catalog.Tables | None = None,
) -> tuple[Finding, ...]:
    """Return the findings about variables or a command line before vLLM starts.

    Args:
        given: the variables as a mapping, or the tokens of a command line as a sequence.
        vllm: the version, such as "0.27.1"; defaults to TRANSLATE_VLLM_VERSION among the variables,
            then to the newest known.
        dialect: the platform naming scheme of the variables.
        env: for a command line, the variables in front of it.
        cluster: for variables, the scheduler whose rank variables to read, such as "lws".
        tables: tables to use instead of the shipped ones.

    Returns:
        The findings; severity "error" means that vLLM would not start.

    Raises:
        TranslationError: there is no such version or dialect.

    >>> [item.code for item in check(["m", "--max-modle-len", "8k"], "0.33.0")]
    ['unknown-flag']
    """
    tokens, variables, findings = _read(given, env)
    scope, about = named_scope(vllm, dialect, variables, tables)

    def judge(env: Mapping[str, str], line: Sequence[str], entries: Sequence[str]) -> list[Finding]:
        if tokens is not None:
            found, facts = check_argv(line, env, scope), facts_of_line(line, scope.tables)
        elif is_program(dialect, scope.tables):
            found, facts = check_program(env, scope), {"check"}
        else:
            read, _, found = secret_files(env, scope.tables)
            found += check_env(read, scope, cluster=cluster)
            found, facts = found + differences(read, scope), {"check"}
        return list(dict.fromkeys(judged((*about, *findings, *found), facts, env)))

    line = tokens or ()
    start = Input(variables, line, scope, judge, is_line=tokens is not None)
    items = advised(judge(variables, line, ()), start).values()
    return tuple(scope.secrets.finished(items, scope.secrets.known(variables, line)))


def check_file(
    given: str | os.PathLike[str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    cluster: str | None = None,
    tables: catalog.Tables | None = None,
) -> tuple[Finding, ...]:
    """Return the findings about a file that starts vLLM: those of `translate check FILE`.

    It reads what the command reads: files that a compose file names, the process's environment.

    Args:
        given: a path, or a text of several lines or words: a manifest, a script, variables, …
        vllm: the version; defaults to that of the file's image, then to TRANSLATE_VLLM_VERSION,
            the installed one and the newest known.
        dialect, cluster, tables: those of `check`.

    Returns:
        The findings. Where it is known, `finding.facts["location"]` is the place, such as
        "pod.yaml:9:12". That nothing in the file starts vLLM is a finding, too.

    Raises:
        OSError: the file cannot be read.
        TranslationError: there is no such version or dialect.
        ValueError: it is not a text, or not YAML.

    >>> found = check_file("vllm serve org/m --max-modle-len 8k", "0.33.0")
    >>> [(item.code, item.facts["location"]) for item in found]
    [('unknown-flag', '1:18')]
    """
    from translator.deployments.judge import results
    from translator.deployments.options import CheckOptions
    from translator.deployments.read.targets import context_of, kind_of, targets_in
    from translator.formats import files

    named_scope(vllm, dialect, {}, tables)
    path = os.fspath(given)
    is_text = given is path and {" ", "\n"} & {*path} and not os.path.exists(path)
    content = path.encode() if is_text else files.read(path)
    if is_text:
        path = "-.env" if kind_of(path) == "variables" else "-"
    versions = (vllm,) if vllm is not None else ()
    asked = CheckOptions(tables or shipped(), versions, dialect=dialect, cluster=cluster)
    try:
        targets = targets_in(path, content, asked, context_of(asked))
    except UsageError as error:
        raise ValueError(str(error)) from None
    if not targets:
        return (finding("unreadable-file", path, case="nothing", file="" if is_text else path),)
    found: dict[Finding, None] = {}
    for result in results.merged(results.check(targets, asked, results.advised)):
        for item in result.findings:
            file, *at = result.place(item)
            parts = ["" if is_text else file, *(str(part or "") for part in at)]
            found[item.with_facts(location=":".join(filter(None, parts)))] = None
    return tuple(found)


def _read(
    given: Mapping[str, str] | Sequence[str], env: Mapping[str, str] | None
) -> tuple[list[str] | None, dict[str, str], list[Finding]]:
    """Return the tokens of a command line, or None; the variables; and findings about these."""
    if hasattr(given, "items"):
        return None, *inputs.environment(given)
    if isinstance(given, str):
        expected = "a mapping of variables or a list of tokens"
        write = "check_file(…)` for a file or its text, or `shlex.split(…)"
        raise TranslationError([inputs.bad_type("given", "The input", given, expected, write)])
    return inputs.tokens(given), *inputs.environment(env or {})


class EngineArguments(dict[str, "Any"]):
    """Keyword arguments for vLLM's `LLM` and `AsyncEngineArgs`: field → value.

    Attributes:
        findings: remarks and warnings, as tuple of `Finding`; no errors.
    """

    def __init__(
        self, arguments: Mapping[str, Any] | None = None, findings: tuple[Finding, ...] = ()
    ) -> None:
        super().__init__(arguments or {})
        self.findings = findings


def env_to_engine_args(
    env: Mapping[str, str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    tables: catalog.Tables | None = None,
) -> EngineArguments:
    """Translate a container's variables into the keyword arguments of vLLM's `LLM` and
    `AsyncEngineArgs`. The arguments are those of `env_to_args`.

    Returns:
        A dict of field → value (numbers, texts, booleans, lists, dicts), with the attribute
        `findings`: options of the server, which no argument stands for, are left out with one.

    Raises:
        TranslationError: the input has mistakes; its `findings` list all of them.

    >>> env_to_engine_args({"MODEL_NAME": "m", "MAX_MODEL_LEN": "8k"}, vllm="0.27.1")
    {'model': 'm', 'max_model_len': 8000}
    """
    translation = env_to_args(env, vllm, dialect, tables=tables)
    catalog = (tables or shipped()).catalog(translation.version)
    arguments, findings = engine_args(translation.argv, catalog)
    return EngineArguments(arguments, (*translation.findings, *findings))


def engine_args_to_env(
    arguments: Mapping[str, Any],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    tables: catalog.Tables | None = None,
) -> Variables:
    """Translate keyword arguments of vLLM's `LLM` and `AsyncEngineArgs` into variables.

    Args:
        arguments: field → value, as JSON and YAML have it.
        vllm, dialect, tables: those of `args_to_env`.

    Raises:
        TranslationError: an argument does not exist in the version, or its value is refused.

    >>> engine_args_to_env({"model": "m", "max_model_len": 8000}, vllm="0.27.1").env
    {'MAX_MODEL_LEN': '8000', 'MODEL_NAME': 'm'}
    """
    scope, _ = named_scope(vllm, dialect, {}, tables)
    argv = command_line(inputs.arguments(arguments), scope.catalog)
    return args_to_env(argv, vllm, dialect, tables=tables)


def explain(
    name: str,
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    tables: catalog.Tables | None = None,
) -> Page | tuple[Finding, ...] | None:
    """Describe a flag, a variable or the code of a finding, or an error message or log of vLLM's.

    Args:
        name: such as "--max-model-len", "MAX_MODEL_LEN", "compilation-config.mode" or "bad-json";
            a message or a log, which has a blank and does not begin with "-".
        vllm, dialect, tables: those of `args_to_env`.

    Returns:
        What is known: an attrs object with `title`, `sections` (heading, lines) and `accepted`
        (first version, last version, what these accept). `str()` of it is the text that `translate
        explain` prints. None if nothing has this name. Of a message or a log, the findings about
        its known errors; `finding.facts["vllm"]` is the version that refuses the same, or "".

    Raises:
        TranslationError: there is no such version or dialect.

    >>> explain("vllm: error: unrecognized arguments: --swap-space 4")[0].code
    'removed'
    """
    scope, name = _known_scope(vllm, dialect, tables), inputs.name(name)
    if " " not in name or name.startswith("-"):
        return look_up(name, scope, scope.tables.versions())
    from translator.reference.logs import explain_log

    explained = explain_log(name, vllm and scope.catalog.version, scope.tables)
    return tuple(item.with_facts(vllm=it) for it, item in explained.findings) or None


def versions(tables: catalog.Tables | None = None) -> tuple[str, ...]:
    """Return the known vLLM versions, oldest first, such as ("0.6.6", …, "0.33.0")."""
    return tuple((tables or shipped()).versions())


def dialects(tables: catalog.Tables | None = None) -> tuple[str, ...]:
    """Return the names of the platform naming schemes."""
    return tuple((tables or shipped()).dialects())


def flags(version: str | None = None, tables: catalog.Tables | None = None) -> tuple[FlagJson, ...]:
    """Return the flags of `vllm serve` in a version, as `translate tables show` prints them.

    Args:
        version: such as "0.27.1"; None: the newest known one.
        tables: tables to use instead of the shipped ones.

    Returns:
        One dict per flag, with the keys "flag", "aliases", "negations", "kind", "choices",
        "nullable", "default", "deprecated" and, for a JSON flag with a fixed shape, "keys".

    Raises:
        TranslationError: it is not a version, or it is older or newer than all known versions.

    >>> [item["kind"] for item in flags("0.27.1") if item["flag"] == "--max-model-len"]
    ['size-or-auto']
    """
    scope = _known_scope(version, "runpod", tables)
    return tuple(flag_json(flag, scope.catalog) for flag in scope.catalog.flags())


def diff(old: str, new: str, tables: catalog.Tables | None = None) -> DiffJson:
    """Return what a vLLM version adds to another, removes, renames and changes by default.

    Args:
        old, new: the versions, such as "0.8.5" and "0.27.1".
        tables: tables to use instead of the shipped ones.

    Raises:
        TranslationError: one is not a version, or is older or newer than all known versions.

    >>> diff("0.19.1", "0.20.2")["flags"]["defaults"][0]["after"]
    '0.92'
    """
    here = _known_scope(old, "runpod", tables)
    there = _known_scope(new, "runpod", tables)
    return version_diff(here.catalog, there.catalog)


def _known_scope(vllm: str | None, dialect: str, tables: catalog.Tables | None) -> Scope:
    """Return a known version and a dialect for a result that has no place for findings."""
    scope, about = named_scope(vllm, dialect, {}, tables)
    newer = [item.with_facts(used="") for item in about if item.code == "version-too-new"]
    if newer:
        raise TranslationError(item.with_severity("error") for item in newer)
    return scope
