"""A start in one version: who reads it, which version that is, and what is certain about it. It is
decided here; everything else reads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set

from translator.core.findings import Finding, TranslationError
from translator.core.settings.scope import Scope
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import Tables
from translator.core.tables.images import first_vllm, vllm_of
from translator.core.tables.versions import Version, parse, requested
from translator.deployments.judge.severity import facts_of_line, judged
from translator.deployments.judge.verdict import has_program, is_program
from translator.deployments.options import CheckOptions
from translator.deployments.read import Entry
from translator.deployments.read.pins import NO_PIN, Pin
from translator.deployments.read.targets import Target
from translator.formats.classes import evolve, frozen
from translator.formats.env_files import secret_files


@frozen
class Case:
    """A target in one version: who reads it, and what is certain about that.

    Attributes:
        target: with the command line that its engine arguments stand for in the version.
        scope, before: the version and the dialect; those that it comes from, if it is moved.
        program: the dialect of the platform's program that reads the variables; "" if it is
            `translate exec`, and where vLLM reads a command line.
        cluster: the scheduler of the variables, if there is one.
        image: the one that its vLLM is assumed to be in, or "".
        facts: what holds, by the names that mappings/findings.toml has for it.
        findings: about the version.
    """

    target: Target
    scope: Scope
    before: Scope | None
    program: str
    cluster: str | None
    image: str
    facts: Set[str]
    findings: Sequence[Finding]

    def judge(self, findings: Iterable[Finding], facts: Set[str]) -> list[Finding]:
        """Return findings, each once, with their severities, by what is certain."""
        return judged(dict.fromkeys(findings), facts, self.target.env, self.image)


def versions_of(target: Target, asked: CheckOptions) -> list[str | None]:
    """Return the versions that are asked for, or else the one from the target, from the environment
    or of the release that a dialect names; None for the one that its image may have, or else for
    the installed one.
    """
    if asked.versions:
        return list(asked.versions)
    named = target.command.vllm or requested(target.env) or requested(os.environ)
    named = named or vllm_of(asked.dialect, asked.tables)
    return [None if asked.ask else named or None]


def case_of(target: Target, vllm: str | None, asked: CheckOptions) -> Case:
    """Return what a target is for one version; None: see `versions_of`.

    Raises:
        TranslationError: there is no such version; its findings are judged.
    """
    asked = evolve(asked, dialect=target.dialect) if target.dialect else asked
    entry = target.command.entry or Entry()
    is_named = vllm == target.command.vllm and not asked.versions
    pin = None if vllm or asked.ask else target.command.pin
    tables, vllm, about, holds = _version(target, vllm, pin, asked)
    findings = [*target.found, *about]
    holds = {"named": is_named, **target.facts, **holds}
    facts = {name for name, is_so in holds.items() if is_so}
    facts |= set() if target.is_translated else facts_of_line(target.written, tables)
    program, name = _program(target, asked, vllm), pin.name if pin is not None else ""
    try:
        scope, more = scope_of(vllm, entry.dialect or program or asked.dialect, {}, tables)
        before = scope_of(asked.before, scope.name, {}, tables)[0] if asked.before else None
    except TranslationError as error:
        about = judged([*findings, *error.findings], facts, target.env, name)
        raise TranslationError(about) from None
    if target.command.container.engine:
        from translator.deployments.read.engine_args import tokens_of  # few files have some

        argv = tuple(tokens_of(target.command.container.engine, scope.catalog))
        target = evolve(target, command=evolve(target.command, argv=argv))
    if target.is_translated and not program:
        env, _, twice = secret_files(target.env, tables)
        more += twice
        target = evolve(target, command=evolve(target.command, env=env))
    cluster = entry.cluster or asked.cluster
    scope = scope.of_model(asked.model)
    return Case(target, scope, before, program, cluster, name, facts, [*findings, *more])


def _version(
    target: Target, vllm: str | None, pin: Pin | None, asked: CheckOptions
) -> tuple[Tables, str | None, Sequence[Finding], Mapping[str, bool]]:
    """Return the version of a target, with its tables: the one that is given, that of its pin, or
    the installed one; and the findings and what holds about it.
    """
    tables = asked.tables
    if pin is not None:
        vllm, assumed = pin.assume(tables.versions()[-1])
        is_latest = pin.is_release and not pin.reader
        holds = {"own": not pin.is_release, "latest": is_latest, "assumed": True}
        return tables, vllm, [assumed], holds
    if vllm is not None:
        return tables, vllm, [], {}
    tables, vllm, about = asked.here
    is_script = target.source is not None and not (target.is_translated or target.is_of_variables)
    if vllm is None and is_script and target.is_readable:
        assumed = NO_PIN.assume(tables.versions()[-1])[1]
        return tables, vllm, [*about, assumed], {"own": True, "assumed": True}
    return tables, vllm, about, {}


def _program(target: Target, asked: CheckOptions, vllm: str | None) -> str:
    """Return the dialect of the platform's program that reads a target's variables: of the release
    or of the platform that is asked for, or of its image; "" for `translate exec`, and where an
    older program of the platform ran the vLLM.
    """
    entry, named = target.command.entry or Entry(), asked.dialect
    if entry.program and "@" not in named:
        named = entry.program  # the tag says which release
        first, version = first_vllm(named, asked.tables), parse(vllm or "")
        if first and version is not None and version < Version(first):
            return ""
    elif not is_program(named, asked.tables):
        return ""
    is_read = target.is_translated and not entry.dialect
    return named if is_read and has_program(named, asked.tables) else ""
