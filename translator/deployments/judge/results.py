"""What `check` finds about targets: for which versions, where, and what of it counts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from translator.advice.check import check_argv, check_env, written_for
from translator.advice.hints import differences
from translator.core.argv.reader import settle_argv
from translator.core.argv.writer import write_argv
from translator.core.findings import Finding, TranslationError, finding, prevents
from translator.core.secrets import Secrets, secrets_of
from translator.core.settings import ModelConfig
from translator.core.settings.scope import Scope, older_generation
from translator.core.tables.catalog import MODEL, Tables
from translator.core.tables.images import common
from translator.core.text.words import KEY, TOKEN, Origin, Place, place, show
from translator.core.translate import settle_env
from translator.deployments.judge.case import Case, case_of, versions_of
from translator.deployments.judge.verdict import check_program
from translator.deployments.options import CheckOptions
from translator.deployments.read import Filled, filled, not_known
from translator.deployments.read.targets import Comment, Source, Target
from translator.formats.classes import evolve, field, frozen
from translator.formats.inputs import read_file
from translator.formats.places import NOWHERE

if TYPE_CHECKING:
    from translator.core.secrets import Known
    from translator.deployments.text.edits import FileEdit

_NOTHING: Set[str] = frozenset()
_NAME = re.compile(r"\b[A-Z][A-Z0-9_]+\b")  # of a variable


@frozen
class Result:
    """The findings of one target for one version.

    Attributes:
        target, version, findings: as they say.
        places: the places of those that name an argument.
        fixes: finding → the edits of files that `--fix` makes for it.
        known: the secrets of its file.
        case: what it was checked as; None if there is no such version.
        advice: returns the findings, each with the same one that has a remedy.
    """

    target: Target
    version: str
    findings: Sequence[Finding]
    places: Mapping[Finding, Place] = field(factory=dict)
    fixes: Mapping[Finding, Sequence[FileEdit]] = field(factory=dict)
    known: Known | None = None
    case: Case | None = None
    advice: Callable[[], Mapping[Finding, Finding]] = dict

    @cached_property
    def advised(self) -> Result:
        """The same result, whose findings have the remedies that hold."""
        advice = self.advice()
        if not advice:
            return self
        return evolve(
            self,
            findings=[advice.get(item, item) for item in self.findings],
            places={advice.get(item, item): at for item, at in self.places.items()},
            advice=dict,
        )

    @property
    def name(self) -> str:
        """The name of the target, as it is shown."""
        return secrets_of().mask(self.target.name, self.known)

    @property
    def title(self) -> str:
        """The name of the target behind that of its file; of a file of variables, with who reads
        it.
        """
        path = self.target.source.path if self.target.source else ""
        name = f"{self.name} ({self.reader})" if self.reader else self.name
        return name if path in ("", "-") or path in name else f"{path}: {name}"

    @property
    def reader(self) -> str:
        """The dialect that a file of variables is read with, or `vllm`; "" of anything else."""
        if self.case is None or not self.target.is_of_variables:
            return ""
        return self.case.scope.name if self.target.is_translated else "vllm"

    @property
    def written_for(self) -> str | None:
        """The versions that have the flags of its command line, where this one lacks some."""
        if self.case is None or self.target.is_translated:
            return None
        return written_for(self.target.written, self.case.scope)

    def place(self, item: Finding) -> Place:
        """Return the place of a finding."""
        return self.places.get(item) or self.target.place(item)


@frozen
class _Masking:
    """What masks the findings of a file, of which many versions and files have the same.

    Attributes:
        known: its secrets.
        kept: the findings without a place so far, of all files of a run.
        key_of: as in `Given`.
        masks: what remembers the texts that it masked, by the tables of a version.
    """

    known: Known
    kept: dict[Finding, Finding]
    key_of: Callable[[str], str | None] | None = None
    masks: dict[Secrets, Callable[[str], str]] = field(factory=dict)

    def masked(self, findings: Sequence[Finding], secrets: Secrets) -> dict[Finding, Finding]:
        """Return findings, each with what it is with everything secret masked."""
        self.masks.setdefault(secrets, secrets.masking(self.known))
        masked = {item: self.shown(item, secrets) for item in findings}
        return {
            item: self.kept.setdefault(shown, shown)
            if shown.origin is None and place(shown.subject) is None
            else shown
            for item, shown in masked.items()
        }

    def shown(self, item: Finding, secrets: Secrets) -> Finding:
        """Return a finding with everything secret masked, and variables by the keys of the file."""
        shown, key_of = item.map(self.masks[secrets]), self.key_of
        if key_of is None:
            return shown
        in_file = shown.map(lambda text: _NAME.sub(lambda name: key_of(name[0]) or name[0], text))
        return in_file.about(shown.subject)


def check(
    targets: Sequence[Target],
    asked: CheckOptions,
    advise: Callable[[list[Result]], list[Result]] = list,
) -> list[Result]:
    """Return the findings that count, of every target for every version; `advise` returns the
    results of a target with their remedies.
    """
    inputs: dict[Source | Target, list[tuple[Mapping[str, str], Sequence[str]]]] = {}
    for one in targets:
        inputs.setdefault(one.source or one, []).append((one.env, one.written))
    secrets = secrets_of(asked.tables)
    kept: dict[Finding, Finding] = {}
    key_of = {one.source or one: one.key_of for one in targets}
    masking = {
        file: _Masking(secrets.of_all(theirs), kept, key_of[file])
        for file, theirs in inputs.items()
    }
    results: list[Result] = []
    for target in targets:
        file = masking[target.source or target]
        versions = versions_of(target, asked)
        results += advise([_result(target, vllm, file, asked) for vllm in versions])
    return counted(results, asked)


def meaning(result: Result, asked: CheckOptions) -> Any:
    """Return what vLLM is told in the end; None if that is not known."""
    case = result.case
    if case is None or asked.ask or case.cluster:
        return None
    target, scope = case.target, case.scope
    line = filled(target.written, scope.catalog)
    try:
        if target.is_translated:
            resolved = settle_env(target.env, scope, line.tokens)
        else:
            resolved = settle_argv(line.tokens, scope)
    except TranslationError:
        return None
    if prevents(resolved.findings):
        return None
    import json  # lazy: only repairs ask

    resolved.whole.clear()  # neither how a value was written matters, nor the order of keys
    for name, value in resolved.values.items():
        if isinstance(value, dict):
            resolved.values[name] = json.loads(json.dumps(value, sort_keys=True))
    return write_argv(resolved, scope.catalog)[0], resolved.env


def counted(results: Sequence[Result], asked: CheckOptions) -> list[Result]:
    """Return the results with the findings that count, without notes on the version that an image's
    own tag names, and with a note on each comment that ignores nothing.
    """
    found = []
    used: set[tuple[str, Comment, str]] = set()
    last: dict[str, tuple[Sequence[Comment], str]] = {}
    for result in results:
        kept: list[Finding] = []
        comments = {file: theirs for file, theirs in result.target.comments.items() if theirs}
        last.update({file: (theirs, result.version) for file, theirs in comments.items()})
        for item in result.findings:
            file, line, _ = result.place(item) if comments else NOWHERE
            # A comment may stand where the command begins that the line is of.
            lines = {line, result.target.place_of(item.subject)[1]} if comments else {line}
            covering = [one for one in comments.get(file, ()) if one.covers(item.code, lines)]
            used.update((file, one, item.code if one.codes else "") for one in covering)
            says_tag = item.code == "image-version" and result.version in item.subject
            if not (covering or says_tag) and asked.counts(item.code):
                kept.append(item)
        is_all = len(kept) == len(result.findings)
        found.append(result if is_all else evolve(result, findings=kept))
    for file, (theirs, version) in last.items():
        unused = {
            finding(
                "unused-ignore",
                f"line {one.line}" + (f", {code}" if code else ""),
                at=file,
                line=one.line,
                ignored=code,
            ): (file, one.line, 0)
            for one in theirs
            for code in one.codes or ("",)
            if (file, one, code) not in used
        }
        if notes := [item for item in unused if asked.counts(item.code)]:
            found.append(Result(Target(file), version, notes, unused))
    return found


def _result(target: Target, vllm: str | None, masking: _Masking, asked: CheckOptions) -> Result:
    """Return the findings about one target for one version; None: see `versions_of`."""
    try:
        case = case_of(target, vllm, asked)
    except TranslationError as error:
        return Result(target, show(vllm or ""), error.findings)
    scope, read = case.scope, case.target
    findings, entries, tokens = _judged(case)
    masked = masking.masked(findings, scope.secrets)
    places = {
        masked[item]: at
        for item in findings
        if place(item.subject) is None and (at := _place(item.origin, read, entries))
    }
    is_line = not read.is_translated
    kept = evolve(case, facts=_NOTHING, findings=())

    def advice() -> dict[Finding, Finding]:
        if not findings:
            return {}
        from translator.advice.remedies import Input  # lazy: what is fine needs none
        from translator.advice.remedies import advised as advise

        def check(
            env: Mapping[str, str], line: Sequence[str], instead: Sequence[str]
        ) -> list[Finding]:
            names = read.command.names.difference(read.env).union(env)
            command = evolve(read.command, env=dict(env), argv=tuple(line), names=names)
            tried = evolve(case, target=evolve(read, command=command))
            return _judged(tried, instead if instead != tokens else None)[0]

        given = Input(
            read.env,
            read.written,
            scope,
            check,
            is_line=is_line,
            has_keys=bool(read.command.container.engine),
            entries=tokens,
        )
        changed = advise(findings, given).items()
        return {
            masked[item]: masking.shown(new, scope.secrets)
            for item, new in changed
            if new is not item
        }

    return Result(
        target,
        scope.catalog.version,
        list(dict.fromkeys(masked.values())),
        places,
        known=masking.known,
        case=kept,
        advice=advice,
    )


def advised(results: Iterable[Result]) -> list[Result]:
    """Return results whose findings have the remedies that hold."""
    return [result.advised for result in results]


def told(results: Sequence[Result]) -> list[Result]:
    """Return the results of a target whose findings have the remedies that hold where these are
    told: of several versions, as the newest has it, and of those that all may have a fix for.
    """
    if all(any(item.fix for item in result.findings) for result in results):
        return advised(results)
    newer: set[tuple[str, str, str, Place]] = set()
    kept: list[Result] = []
    for result in reversed(results):
        about = {
            (item.code, item.subject, item.severity, result.place(item)) for item in result.findings
        }
        # How unknown variables are told depends on their remedies.
        is_told = not about <= newer or any(code == "unknown-variable" for code, *_ in about)
        kept.append(result.advised if is_told else evolve(result, advice=dict))
        newer |= about
    return kept[::-1]


def _judged(
    case: Case, instead: Sequence[str] | None = None
) -> tuple[list[Finding], Mapping[str, Place], Sequence[str]]:
    """Return the findings about a target, with their severities; the places of the entries of its
    file for --config, and the tokens that they stand for, or others `instead` of these.
    """
    scope, facts, read = case.scope, case.facts, case.target
    findings: list[Finding] = []
    entries: Mapping[str, Place] = {}
    tokens: Sequence[str] = ()
    if read.is_readable:
        findings, entries, tokens, may_have_model = _found(case, instead)
        facts = {*facts, "model"} if may_have_model else facts
    if read.is_of_variables and read.is_whole:
        from translator.advice.unread import unread

        findings += unread(read.env, scope, case.cluster)
    starts = case.before.catalog.version if case.before else read.command.vllm
    if starts and not (read.command.entry and read.command.entry.dialect):
        findings = [_ignored(item, read.env, starts, scope.tables) for item in findings]
    return case.judge([*case.findings, *findings], facts), entries, tokens


# --- what is found about one target


def _found(
    case: Case, instead: Sequence[str] | None
) -> tuple[list[Finding], Mapping[str, Place], Sequence[str], bool]:
    """Return the findings about the command or the variables of a target, the places of the entries
    of its file for --config, their tokens, and whether it may have a model that is not known.
    """
    target, scope, before, cluster = case.target, case.scope, case.before, case.cluster
    line = filled(target.written, scope.catalog, in_file=bool(target.at[0]))
    places: Mapping[str, Place] = {}
    tokens: Sequence[str] = ()
    if case.program and not scope.older:  # of an older vLLM, an older program would read them
        names, words = target.env.keys() | target.command.names, line.tokens
        is_file = bool(target.at[0])  # where a placeholder stands for a value
        env = {
            it: text
            for it, text in target.env.items()
            if not (is_file and line.is_unknown(text, None))
        }
        made = check_program(env, scope, before, names=names, arguments=words)
    elif target.is_translated:
        made = check_env(target.env, scope, before, extra=line.tokens, cluster=cluster)
        made += differences(target.env, scope)
        if target.command.entry is not None and target.command.entry.dialect is None:
            made = [_by_program(item, scope) for item in made]
    else:
        from translator.formats.vllm_config import ConfigFiles

        elsewhere = target.command.contained or bool(target.at[0])
        files = ConfigFiles(scope.catalog, read_file, keep_missing=elsewhere)
        model = None if scope.model or elsewhere else _local_model(line.tokens)
        judging = scope.of_model(model)
        config = files if instead is None else lambda path: [*instead]
        made = [*check_argv(line.tokens, target.env, judging, config, before), *files.findings]
        places, tokens = files.places, files.tokens
        if target.command.container.surroundings or target.env:
            from translator.deployments.judge.surroundings import about_surroundings

            made += about_surroundings(case, line)
    absent = target.command.names.difference(target.env) if target.is_translated else frozenset()
    # Placeholders of variables are noted, too.
    findings = _without_guesses(made, line, target, absent, scope.tables)
    notes = [not_known(text, at) for text, at in line.places.items()]
    flags = [role.flag for name in absent if (role := scope.role(name)) is not None]
    has_model = line.dropped or any(flag and flag.flag == MODEL for flag in flags)
    has_model = has_model or target.command.container.gets_model
    return [*findings, *notes], places, tokens, has_model


def _local_model(tokens: Sequence[str]) -> ModelConfig | None:
    """Return the config.json of a model that is a folder here."""
    model = next((after for it, after in pairwise(tokens) if it in ("serve", MODEL)), "")
    if not os.path.isfile(os.path.join(model, "config.json")):
        return None
    from translator.formats.model_config import read_model_config

    return read_model_config(model)


def _by_program(item: Finding, scope: Scope) -> Finding:
    """Return a finding about what an older program of a platform starts: it drops the variable of a
    flag that it does not know.
    """
    program, role = older_generation(scope) or scope, scope.role(item.subject)
    flag = role.flag.flag if role is not None and role.flag is not None else ""
    read = program.consumer.how
    if item.severity != "error" or not flag or not read or flag in read:
        return item
    return program.differs(item.subject, "not-passed-on", flag=flag, extra_args=program.extra_args)


def _without_guesses(
    findings: list[Finding], line: Filled, target: Target, absent: Set[str], tables: Tables
) -> list[Finding]:
    """Return the findings without those that something is missing which may be among what is not
    known here (`absent`: its variables), those about variables that the file itself reads, and
    those that were asked of other hardware than the image's.
    """
    pin, is_file = target.command.pin, target.source is not None
    others = common(tables).get("elsewhere", ())  # hardware
    elsewhere = pin is not None and any(word in pin.name.lower() for word in others)
    # What surrounds a line of a file may set variables; what surrounds a container is known.
    is_bare = is_file and not (target.command.contained or target.is_translated)

    def is_guess(item: Finding) -> bool:
        if item.code == "bad-variable" and target.at[0]:
            return line.is_unknown(target.env.get(item.subject.partition("=")[0], ""), None)
        if item.has_trait("others"):
            return target.source is not None and item.subject in target.source.reads
        if elsewhere and item.facts.get("asked"):
            return True
        assumed = item.facts.get("absent", ())
        if not isinstance(assumed, tuple) or not assumed:
            return False
        is_open = bool(line.dropped) or (is_bare and any(name[0] != "-" for name in assumed))
        return is_open or not absent.isdisjoint(assumed)

    return [item for item in findings if not is_guess(item)]


def _ignored(item: Finding, env: Mapping[str, str], vllm: str, tables: Tables) -> Finding:
    """Return a finding about what replaces a variable without its safe fix where the vLLM that is
    started does not read the variable; `translate exec` replaces it there, too.
    """
    is_plain = item.code == "replaced" and not item.case
    if not is_plain or item.severity == "error" or item.subject not in env:
        return item  # an error: a program hands it to that vLLM
    if vllm in tables.having(item.subject):
        return item
    return finding(item.code, item.subject, case="ignored", **item.facts)


# --- where it is


def _place(origin: Origin | None, target: Target, entries: Mapping[str, Place]) -> Place | None:
    """Return the place of a token of a command, or of an entry of a file for --config; None if it
    is not known.
    """
    if origin is not None and origin.kind == TOKEN and not origin.inside and origin.at >= 0:
        return target.command.token_places[origin.at] or (*target.at[:2], 0)
    return entries.get(origin.name) if origin is not None and origin.kind == KEY else None


# --- several results


def merged(results: Sequence[Result]) -> list[Result]:
    """Return the results with one for each place and version, where a script may start several
    servers; and with one finding for all values of a command that are not known.
    """
    found: dict[tuple[str, Place, str], Result] = {}
    for result in results:
        key = (result.target.name, result.target.at, result.version)
        first = found.setdefault(key, result)
        if first is not result:
            found[key] = evolve(
                first,
                findings=list(dict.fromkeys([*first.findings, *result.findings])),
                places={**result.places, **first.places},
                fixes={**result.fixes, **first.fixes},
            )
    return [_with_unknown_values_in_one(one) for one in found.values()]


def _with_unknown_values_in_one(result: Result) -> Result:
    unknown: dict[Place, list[str]] = {}
    others = []
    for item in result.findings:
        if item.code == "value-not-known":
            unknown.setdefault(result.target.place_of(item.subject), []).append(item.subject)
        else:
            others.append(item)
    about = [
        finding("value-not-known", first, text=first, texts=(first, *more) if more else ())
        for first, *more in unknown.values()
    ]
    return evolve(result, findings=[*others, *about]) if about else result
