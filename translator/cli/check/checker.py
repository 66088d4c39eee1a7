"""What `check` finds about a target: for which versions, and what counts of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from translator.api.check import check_argv, check_env
from translator.api.translate import Options, settle_argv, translate_env
from translator.argv.holes import filled
from translator.cli.check.gate import IGNORE, SELECT, codes_of, counted
from translator.cli.check.results import Arguments, Result
from translator.cli.exits import UsageError
from translator.cli.files import read_file
from translator.cli.options import installed_vllm
from translator.findings import TranslationError, has_errors
from translator.formats.vllm_config import ConfigFiles
from translator.naming.scope import scope as scope_of
from translator.secrets.secrets import secrets_of
from translator.tables.entries import MODEL
from translator.tables.versions import VARIABLE, Version, parse
from translator.text.placed import place
from translator.text.quoting import show
from translator.text.references import visible

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from translator.argv.holes import Filled
    from translator.cli.check.results import Source, Target
    from translator.findings import Finding
    from translator.naming.scope import Scope
    from translator.secrets.secrets import Known
    from translator.tables.catalog import Tables
    from translator.text.placed import Place

_NO_MODEL = ("no-model", "missing-model")
_LACKS = ("refused-at-start", "needs")  # of a flag that does not start without another one


class Checker:
    """Checks targets as the command line says.

    Attributes:
        tables: the tables.
    """

    def __init__(self, args: Namespace, tables: Tables) -> None:
        self.tables, self._args = tables, args
        self._select, self._ignore = codes_of(SELECT, args.select), codes_of(IGNORE, args.ignore)
        self._here: tuple[Tables, str | None, list[Finding]] | None = None
        self._of_file: dict[Source | Target, list[Target]] = {}
        self._known: dict[Source | Target, Known] = {}

    def results(self, targets: Sequence[Target]) -> list[Result]:
        """Return the findings that count, of every target for every version."""
        asked = [(target, vllm) for target in targets for vllm in self._versions(target)]
        self._of_file, self._known = {}, {}
        for target in targets:
            self._of_file.setdefault(target.source or target, []).append(target)
        return self.counted([Result(target, *self._check(target, vllm)) for target, vllm in asked])

    def counted(self, results: Sequence[Result]) -> list[Result]:
        """Return the results with the findings that count."""
        return counted(results, self._select, self._ignore)

    def meaning(self, result: Result) -> Any:
        """Return what vLLM is told in the end; None if that is not known."""
        target = result.target
        dialect, cluster = self._platform(target)
        if self._args.ask or cluster:
            return None
        try:
            scope = scope_of(result.version, dialect, {}, self.tables)[0]
            line = filled(target.written, scope.catalog)
            if target.is_translated:
                done = translate_env(target.env, scope, Options(line.tokens))
                return done.argv, done.env
            settled = settle_argv(line.tokens, scope)
        except TranslationError:
            return None
        return None if has_errors(settled.findings) else settled.values

    def _versions(self, target: Target) -> list[str | None]:
        """Return the versions from --vllm, or else the one from the target or the environment; None
        for the one that its image may have, or else for the installed one.
        """
        args = self._args
        if args.vllm:
            found = [
                item for text in args.vllm for item in versions_in(text, self.tables.versions())
            ]
            return list(dict.fromkeys(found))
        named = target.command.vllm or target.env.get(VARIABLE, "").strip()
        return [None if args.ask else named or os.environ.get(VARIABLE, "").strip() or None]

    def _secrets_beside(self, target: Target) -> Known:
        """Return the secrets of all targets of the file of a target."""
        file = target.source or target
        if file not in self._known:
            inputs = [(one.env, one.written) for one in self._of_file[file]]
            self._known[file] = secrets_of(self.tables).of_all(inputs)
        return self._known[file]

    def _platform(self, target: Target) -> tuple[str, str | None]:
        """Return the dialect and the scheduler of a target."""
        dialect, cluster, entry = self._args.dialect, self._args.cluster, target.command.entry
        if entry is not None:
            return entry.dialect or dialect, entry.cluster or cluster
        return dialect, cluster

    def _replaced(self) -> str | None:
        """Return the version to move from: that of --from, or the one that a range begins with."""
        if self._args.source:
            return str(self._args.source)
        ranges = [text for text in self._args.vllm if ".." in text and not text.startswith("..")]
        return versions_in(ranges[0], self.tables.versions())[0] if ranges else None

    def _check(
        self, target: Target, vllm: str | None
    ) -> tuple[str, list[Finding], dict[Finding, Place]]:
        """Check one target for one version; None: see `_versions`.

        Returns:
            The version, the findings, and the places of those that name an argument.
        """
        tables, findings = self.tables, list(target.found)
        image = target.command.image
        if vllm is None and image is not None and not self._args.ask:
            vllm, assumed = image.assume(tables.versions()[-1])
            findings.append(assumed)
        elif vllm is None:
            self._here = self._here or installed_vllm(tables, ask=self._args.ask)
            tables, vllm, about = self._here
            findings += about
        dialect, cluster = self._platform(target)
        try:
            scope, about_version = scope_of(vllm, dialect, {}, tables)
            replaced = self._replaced()
            before = scope_of(replaced, dialect, {}, tables)[0] if replaced else None
        except TranslationError as error:
            return show(vllm or ""), [*findings, *error.findings], {}
        findings += about_version
        found, entries = _found(target, scope, before, cluster) if target.is_readable else ([], {})
        findings = list(dict.fromkeys([*findings, *found]))
        places = _places(findings, target, scope)
        for item in findings:
            if (name := item.subject.partition("=")[0]) in entries:
                places[item] = entries[name]
        known = self._secrets_beside(target)
        masked = {item: scope.secrets.finished([item], known)[0] for item in findings}
        places = {masked[item]: at for item, at in places.items()}
        return scope.catalog.version, list(dict.fromkeys(masked.values())), places


def _found(
    target: Target, scope: Scope, before: Scope | None, cluster: str | None
) -> tuple[list[Finding], dict[str, Place]]:
    """Return the findings about the command or the variables of a target, and the places of the
    entries of its file for --config.

    Args:
        target: the target.
        scope: the version and the dialect.
        before: the version that is replaced.
        cluster: the scheduler whose rank variables to read.
    """
    line = filled(target.written, scope.catalog)
    entries: dict[str, Place] = {}
    if target.is_translated:
        options = Options(line.tokens, cluster=cluster)
        made = check_env(target.env, scope, options, before)
    else:
        elsewhere = target.command.contained or bool(target.at[0])
        files = ConfigFiles(scope.catalog, read_file, keep_missing=elsewhere)
        made = check_argv(line.tokens, target.env, scope, files, before)
        made, entries = [*made, *files.findings], files.places
    return _without_guesses(made, line, target, scope), entries


def versions_in(text: str, known: Sequence[str]) -> list[str]:
    """Return the known versions in a range: `0.19..`, `..0.27`, `0.8..0.33` (inclusive) or `all`; a
    plain version is returned unchanged.

    Raises:
        UsageError: an end is not a version, or the range is empty.
    """
    if text == "all":
        return list(known)
    if ".." not in text:
        return [text]
    low, _, high = text.partition("..")
    first, last = parse(low or known[0]), parse(high or known[-1])
    if first is None or last is None:
        raise UsageError(f"{show(text)} is no range of versions: write 0.19.., ..0.27 or 0.8..0.33")
    found = [
        item
        for item in known
        if first.base <= Version(item).base
        and (Version(item).base <= last.base or last.includes(Version(item)))
    ]
    if not found:
        raise UsageError(
            f"no known version in {show(low)}..{show(high)}: known are {known[0]} to {known[-1]}"
        )
    return found


def _places(findings: Sequence[Finding], target: Target, scope: Scope) -> dict[Finding, Place]:
    """Return the places of the findings that name an argument: only the line of the command, where
    that of the argument is not known.
    """
    unplaced = [
        item
        for item in findings
        if item.subject not in target.places and place(item.subject) is None
    ]
    if not unplaced:
        return {}
    tokens = [visible(token) for token in target.written]
    arguments = Arguments(tokens, scope.catalog)
    return {
        item: target.argument_places[at] or (*target.at[:2], 0)
        for item in unplaced
        if (at := arguments.named(item)) is not None
    }


def _without_guesses(
    findings: list[Finding], line: Filled, target: Target, scope: Scope
) -> list[Finding]:
    """Return the findings without those caused by a value that is not known here, and without those
    about variables that the file itself reads.
    """
    absent = target.command.names.difference(target.env) if target.is_translated else ()
    roles = [scope.role(name) for name in absent]
    named = line.dropped or any(
        role is not None and role.flag is not None and role.flag.flag == MODEL for role in roles
    )
    texts = list(target.command.unknown)
    unknown = {item.subject for item in findings if item.code == "unknown-variable"}
    read = unknown & target.source.names if unknown and target.source else frozenset()

    def is_guess(item: Finding) -> bool:
        if item.code == "unknown-variable" and item.subject in read:
            return True
        if named and item.code in _NO_MODEL:
            return True
        if line.dropped and (item.code, item.case) == _LACKS:  # it may be among them
            return True
        if not texts and not line.flags:
            return False
        told = _texts_of(item)
        return any(text in part for text in texts for part in told) or (
            item.severity == "error"
            and any(_flag_of(part) in line.flags for part in told if part.startswith("-"))
        )

    return [item for item in findings if not is_guess(item)]


def _texts_of(item: Finding) -> list[str]:
    """Return the texts that a finding tells; its subject may be a whole argument, whose flag is
    wrong whatever its value is.
    """
    facts = [fact if isinstance(fact, tuple) else (str(fact),) for fact in item.facts.values()]
    return [part for fact in facts for part in fact]


def _flag_of(text: str) -> str:
    """Return the flag that a text of a finding names: `--flag`, `--flag=value`, `--flag value`."""
    return text.partition("=")[0].partition(" ")[0].partition(".")[0]
