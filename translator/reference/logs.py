"""The log of a start, or an error message of vLLM's: what it is about, and what to write instead.

The parser's messages name tokens, and pydantic's keys, which are checked as any command line; what
the engine says is in mappings/relations.toml and mappings/messages.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from translator.advice.check import check_argv
from translator.advice.remedies import Input, advised
from translator.core.findings import REFUSED, Finding, finding
from translator.core.secrets import secrets_of
from translator.core.settings.relations import names_in
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import MESSAGES, MODEL_KEYS, RELATIONS, Tables, variable_of
from translator.core.tables.versions import parse
from translator.core.text.json_text import JsonError, dumps, literal
from translator.core.text.words import Place, words
from translator.core.values import assignment
from translator.deployments.judge.severity import judged
from translator.deployments.read.targets import Target
from translator.formats.classes import frozen
from translator.formats.places import NOWHERE, split

if TYPE_CHECKING:
    from translator.core.secrets import Known

# Colours, and what journald, docker compose, kubectl and vLLM's processes put in front of a line.
_AROUND = re.compile(
    r"(?:\x1b|ESC|#033)\[[0-9;]*m|^\w{3} +\d+ [\d:]+ \S+ \S+\[\d+\]: |^\S+ +\| |^\[\S+\] "
    r"|^\d{4}-\d\d-\S+ |\(\w+ pid=\d+\) ?|(?:ERROR|WARNING|INFO) [\d-]+ [\d:]+ \[\S+\] ?"
)
_BANNER = re.compile(
    r"(?:\bvLLM (?:API server |server )?version |\bLLM engine \(|█ +version )v?(\d+\.\d+[\w.+]*)",
    re.IGNORECASE,
)
# What argparse says, in every Python.
_UNRECOGNIZED = re.compile(r"error: unrecognized arguments: (.+)")
_DEPRECATED = re.compile(r"\b(?:argument|option) '(?:--)?([\w-]+)' is deprecated")
_REQUIRED = re.compile(r"error: the following arguments are required: model")
_ARGUMENT = re.compile(r"error: argument (-[\w-]+)(?:/[^\s:]*)?: (.+)")
_AROUND_WORDS = "\"'`()[]{}<>,.;:="
_MOST_AROUND = 8  # of these, one around another
_LONGEST = 300  # characters of an error that is not known
_ERROR = re.compile(r"(?:(?:\w+\.)*\w*(?:Error|Exception): (?!\d+ validation)|\s+Value error, ).+")
# What pydantic says of a class, and of each key of it with its value.
_CLASS = re.compile(r"validation errors? for (\w+)")
_KEY = re.compile(
    r"^(?:[ \t]*([\w.]+)\n)?[ \t]+(?!Value error).+? \[type=\w+, input_value=(.{0,2000}?), input",
    re.MULTILINE,
)
_VALUE = re.compile(
    r"(?:invalid choice: |invalid [\w.<>]+ value: )('[^']*'|\"[^\"]*\"|\S+)"
    r"|Value (.{1,2000}) cannot be"
)


@frozen
class Explained:
    """What a log is about; secrets in it are masked.

    Attributes:
        findings: about each error that is known, with the version that refuses the same.
        assumed: these versions, where neither the log nor anybody says one.
        first_error: the first line that says an error, where none is known; "" for none.
    """

    findings: Sequence[tuple[str, Finding]]
    assumed: Sequence[str]
    first_error: str


def explain_log(
    text: str, vllm: str | None, tables: Tables, targets: Sequence[Target] = ()
) -> Explained:
    """Return what the known error lines of a log are about.

    Args:
        text: the log, or a message alone.
        vllm: the version that wrote it, if it is said; else its banner says it, the image of a
            target, or the newest that refuses the same.
        tables: those to check with.
        targets: what the file starts that the log is of.
    """
    lines = list(map(_stripped, split(text, "\n")))
    banner = next((match[1] for line in lines if (match := _BANNER.search(line))), "")
    banner = banner or next((target.command.vllm or "" for target in targets), "")
    version = vllm or (banner if parse(banner) else None)
    findings: dict[tuple[str, str], tuple[str, Finding]] = {}
    _, *classes = _CLASS.split("\n".join(lines))
    about = [item for line in dict.fromkeys(lines) for item in _about(line, version, tables)]
    for config, rest in zip(classes[::2], classes[1::2]):
        for key, value in _KEY.findall(rest):
            about += _about_key(config, key, value, version, tables)
    for named, item in about:
        findings.setdefault((item.code, item.subject or item.message), (named, item))
    secrets, known = secrets_of(tables), _secrets_in(lines, tables)
    masked = [(named, secrets.finished([item], known)[0]) for named, item in findings.values()]
    assumed = () if version else tuple(dict.fromkeys(named for named, _ in masked if named))
    errors = (match[0] for line in lines if (match := _ERROR.match(line)))
    first = "" if masked else next((line for line in errors if "root cause" not in line), "")
    return Explained(masked, assumed, secrets.mask(first.strip(), known)[:_LONGEST])


def _secrets_in(lines: Sequence[str], tables: Tables) -> Known:
    """Return what a log names as a secret (`HF_TOKEN=…`), also directly behind its variable."""
    secrets, different = secrets_of(tables), dict.fromkeys(lines)
    behind = [
        ({name.strip(_AROUND_WORDS): word.strip(_AROUND_WORDS)}, ())
        for line in different
        for name, word in pairwise(line.split())
        if name.isupper() and secrets.named(name.strip(_AROUND_WORDS))
    ]
    return secrets.of_all([*behind, *(({"": line}, ()) for line in different)])


def place_of(subject: str, targets: Sequence[Target]) -> Place:
    """Return where one of the targets sets a flag, or else where the first one is."""
    flag = _flag(subject)
    variable = variable_of(flag)
    for target in targets:
        for token, place in zip(target.written, target.command.token_places):
            if place and _flag(token) == flag:
                return place
        for name in target.env:
            if f"_{name}".endswith(f"_{variable}"):
                return target.place_of(name)
    return targets[0].at if targets else NOWHERE


def _flag(token: str) -> str:
    return token.partition("=")[0].partition(" ")[0].partition(".")[0].replace("_", "-")


def _stripped(line: str) -> str:
    """Return a line of a log without what a runtime and vLLM put around what is said."""
    for _ in range(_MOST_AROUND):
        before, line = line, _AROUND.sub("", line)
        if line == before:
            break
    return line


def _about(text: str, version: str | None, tables: Tables) -> Iterator[tuple[str, Finding]]:
    """Yield the findings about an error line, each with its version."""
    for entry in tables.records(MESSAGES).values():
        match = re.search(entry["says"], text)
        if not match:
            continue
        groups = match.groupdict()
        if "line" in entry:
            line = ["vllm", "serve", "MODEL", *(word.format(**groups) for word in entry["line"])]
            yield from _checked(line, version, tables)
        else:
            why, write = (entry[part].format(**groups) for part in ("why", "remedy"))
            flag, program = entry.get("flag", ""), groups.get("program", "")
            facts = {"program": program, "why": why, "write": write}
            yield version or "", finding(REFUSED, flag, case="said", **facts)
        return
    if match := _UNRECOGNIZED.search(text):
        yield from _unrecognized(match[1], version, tables)
    elif match := _DEPRECATED.search(text):
        flag = "--" + match[1].replace("_", "-")
        known = ((each, tables.catalog(each).flag(flag)) for each in tables.versions()[::-1])
        named = version or next((each for each, own in known if own and own.deprecated), "")
        yield named, finding("deprecated-flag", flag, flag=flag, version=named)
    elif (tokens := _tokens(text)) is not None:
        yield from _checked(["vllm", "serve", *tokens], version, tables)
    for relation in tables.records(RELATIONS).values():
        if match := re.search(relation.get("says", "$."), text):
            named = version or tables.versions()[-1]
            flag, value = relation["flags"][0], match.groupdict().get("value")
            given = assignment(flag, value) if value else flag
            number = tables.records(MODEL_KEYS)["number"]
            names = [name[6:] for name in names_in(*relation["must"]) if name[:6] == "model."]
            key = next((number[name][0] for name in names if name in number), "")
            facts = {"given": given, "version": named, "file": "config.json", **match.groupdict()}
            facts |= {name: relation[name] for name in ("why", "remedy") if name in relation}
            case = relation.get("case", "property")
            yield named, finding(REFUSED, flag, case=case, key=key, **facts)


def _about_key(
    config: str, key: str, value: str, version: str | None, tables: Tables
) -> Iterator[tuple[str, Finding]]:
    """Yield the findings about what pydantic says of a key of a class of vLLM's, and its value."""
    every = (name for name in tables.names() if name.startswith("--"))
    flag = next((name for name in every if name[2:].replace("-", "") == config.lower()), "")
    try:
        given = literal(value)
    except JsonError:
        given = value
    own = "--" + key.replace("_", "-")
    tokens = [flag, dumps({key: given}) if key else value] if flag else [own, str(given)]
    for named, item in _checked(["vllm", "serve", "MODEL", *tokens], version, tables):
        if (key if flag else own) in item.message:
            yield named, item


def _unrecognized(text: str, version: str | None, tables: Tables) -> Iterator[tuple[str, Finding]]:
    """Yield a finding about each flag of a line that a parser does not recognize, for the newest
    version that refuses all of them, or else most. A flag that this version has is not judged by
    its value: they were one argument, or another parser said it.
    """
    options = re.split(r" (?=--\w)", text)
    names = [option.partition("=")[0].partition(" ")[0].replace("_", "-") for option in options]
    newest = tables.versions()[::-1]
    if version:
        version = scope_of(version, "runpod", {}, tables)[0].catalog.version
    version = version or next((each for each in newest if not _known(names, each, tables)), None)
    version = version or min(newest, key=lambda each: len(_known(names, each, tables)))
    known = _known(names, version, tables)
    line = ["vllm", "serve", "MODEL"]
    for option in options:
        name, _, value = option.partition(" ")
        line += [name, value] if value[:1] in ("{", "[") else _words(option)  # JSON has no quotes
    for named, item in _checked(line, version, tables, is_whole=False):
        if not _known([item.subject], version, tables):
            yield named, item
    for name, option in zip(names, options):
        if name in known:
            joined = ["vllm", "serve", "MODEL", option] if " " in option else []
            about = finding("unknown-flag", name, case="accepted", given=name, version=version)
            yield from list(_checked(joined, version, tables)) or [(version, about)]


def _known(names: Sequence[str], version: str, tables: Tables) -> list[str]:
    """Return those names that a version has a flag of, or takes for abbreviations of one."""
    catalog = tables.catalog(version)
    end = "." if catalog.grammar.reads_dots else " "
    return [
        name
        for name in names
        if name[:2] == "--" and catalog.begins_a_spelling(name.partition(end)[0])
    ]


def _words(text: str) -> list[str]:
    """Return the words of a line of arguments, with or without quotes."""
    try:
        return words(text)
    except ValueError:
        return text.split()


def _tokens(line: str) -> list[str] | None:
    """Return a command line that the parser says this of; None for another line."""
    if _REQUIRED.search(line):
        return []
    match = _ARGUMENT.search(line)
    if not match or "validation error" in match[2]:  # which the next lines name the key of
        return None
    value = _VALUE.search(match[2])
    return ["MODEL", match[1], *([(value[1] or value[2]).strip("'\"")] if value else [])]


def _checked(
    line: Sequence[str], version: str | None, tables: Tables, *, is_whole: bool = True
) -> Iterator[tuple[str, Finding]]:
    """Yield the errors about a command line, of a version or else the newest that has some. Of one
    that is not `is_whole`, a value that is missing may stand elsewhere.
    """
    for named in [version] if version else tables.versions()[::-1]:
        scope, _ = scope_of(named, "runpod", {}, tables)

        def check(env: Mapping[str, str], tokens: Sequence[str], _: object) -> list[Finding]:
            findings = judged(check_argv(tokens, env, scope), {"vllm"})  # noqa: B023  # called here
            findings = [item for item in findings if is_whole or item.code != "missing-value"]
            # What the rest of the line may have is no reason against a remedy.
            return [item for item in findings if tokens is line or "absent" not in item.facts]

        if findings := [item for item in check({}, line, ()) if item.severity == "error"]:
            advice = advised(findings, Input({}, line, scope, check, is_line=True))
            for item, shown in advice.items():  # its values may be no part of what is said
                yield scope.catalog.version, shown if shown.remedy else item
            return
