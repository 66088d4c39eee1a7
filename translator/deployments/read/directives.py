"""Files of directives, lines that go on behind a backslash: Dockerfiles, units of systemd, and
Podman's Quadlets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from translator.core.findings import Finding, finding
from translator.core.tables.images import image_of
from translator.core.text.json_text import JsonError, dumps, loads
from translator.core.text.words import Place, cut, is_variable, joined, stamped
from translator.core.text.words import words as words_in
from translator.deployments.read import Command, Container, Context, exceeded, unread
from translator.deployments.read.pins import Pin, of_image
from translator.deployments.read.programs import (
    ENV_FILE,
    docker_container,
    installed,
    name_of,
    of_options,
    serves,
    string_array,
)
from translator.deployments.read.unwrap import Unwrapper, distinct
from translator.deployments.text.shell import split as commands_in
from translator.formats import kinds
from translator.formats.classes import define, evolve, field
from translator.formats.places import NOWHERE, beginning, partition, replaced, split, whole
from translator.formats.places import stripped as blankless
from translator.formats.references import Budget, hole

_INSTRUCTIONS = ("FROM", "ARG", "ENV", "RUN", "CMD", "ENTRYPOINT")
_WITH_TEXT = ("RUN", "COPY", "ADD")  # which may have here-documents
_SHELL = ["/bin/sh", "-c"]
# A word that begins a here-document, as BuildKit reads it (frontend/dockerfile/parser/parser.go):
# neither `<<<` nor `$((1<<2))`.
_HERE = re.compile(r"""(?<!\S)\d*<<-?(["']?)([^\s<"']+)\1(?!\S)""")


@define
class Stage:
    """What an image under construction starts.

    Attributes:
        image: the image that it is built on.
        pin: of the vLLM that it installs, or None.
        entrypoint, command: as in the last instruction; None if there was none.
        env: its variables.
        places: variable → its place.
        written: file → the text that `echo` or `printf` writes into it.
        place: of the last ENTRYPOINT or CMD.
    """

    image: str = ""
    pin: Pin | None = None
    entrypoint: list[str] | None = None
    command: list[str] | None = None
    env: dict[str, str] = field(factory=dict)
    places: dict[str, Place] = field(factory=dict)
    written: dict[str, str] = field(factory=dict)
    place: Place = NOWHERE

    def put(self, name: str, rest: str) -> None:
        """Take what CMD or ENTRYPOINT says: an array, or a line for a shell."""
        words = string_array(rest)
        words = words if words is not None else [*_SHELL, rest]
        if name == "ENTRYPOINT":
            self.entrypoint, self.command, self.place = words, None, beginning(rest)
            return
        self.command = words
        if (self.entrypoint or [])[:2] != _SHELL:  # a shell ignores its arguments
            self.place = beginning(rest)

    def started(
        self, entrypoint: list[str] | None = None, command: list[str] | None = None
    ) -> tuple[list[str] | None, list[str]]:
        """Return the entrypoint and the arguments that a container gets.

        Args:
            entrypoint, command: what replaces those of the image; a new entrypoint leaves the
                command of the image out.
        """
        args = command or ((not entrypoint and self.command) or [])
        entrypoint = entrypoint or self.entrypoint
        if entrypoint == []:  # none at all: the arguments are the command
            return args, []
        is_shell = entrypoint is not None and entrypoint[:2] == _SHELL and len(entrypoint) == 3
        return entrypoint, [] if is_shell else args  # the shell form ignores them


# What is in a text: containers, and commands that are read already; None for another text.
Starts = Sequence[Container | Command] | None


def _read_dockerfile(text: str, context: Context) -> Starts:
    """Read what the last stage of a Dockerfile starts, or what says its vLLM, where that is
    elsewhere.
    """
    stage = last_stage(text, context.env, context.budget)
    if stage is None:
        return None
    command, args = stage.started()
    words = [*(command or []), *args]
    # A platform's program needs no arguments: it reads variables.
    is_program = image_of(stage.image, context.tables).runs == "program"
    if not (words or is_program) or (command and not serves(words)):
        pin = stage.pin or of_image(stage.image, image_of(stage.image, context.tables))
        note = Command()
        if words:
            note = unread(stage.place, "unreadable-file", words[0], "elsewhere", given=words[0])
        return [evolve(note, pin=pin, starts_vllm=False)]
    # What it writes into files from which a platform's program reads variables.
    heads = map(context.tables.head, context.tables.dialects()) if is_program else ()
    paths = {head.get("baked_args") for head in heads}
    for text in (text for path, text in stage.written.items() if path in paths):
        try:
            values = loads(text)
        except JsonError:  # the program ignores it
            continue
        for name, value in values.items() if isinstance(values, dict) else ():
            if value is not None and value != "":
                stage.env[name] = value if isinstance(value, str) else dumps(value)
                stage.places[name] = beginning(text)
    container = Container(
        "the image",
        stage.place,
        stage.image,
        command,
        args,
        stage.env,
        stage.places,
        findings=exceeded(context.budget, "the image"),
        pin=stage.pin,
        # `docker run` adds arguments to an entrypoint that no shell starts.
        is_open=command is None or command[:2] != _SHELL,
    )
    return [container]


def pin_of_script(name: str, path: str, text: str, context: Context) -> Pin | None:
    """Return the pin of the image that starts the script of a name, by the path and the text of a
    Dockerfile beside it; None if that starts another one.
    """
    stage = last_stage(whole(text, path), context.env, context.budget)
    command, args = stage.started() if stage is not None else (None, [])
    if stage is None or not any(name_of(word) == name for word in [*(command or ()), *args]):
        return None
    return stage.pin or of_image(stage.image, image_of(stage.image, context.tables))


def last_stage(
    text: str, arguments: Mapping[str, str], budget: Budget, target: str = ""
) -> Stage | None:
    """Return the last stage of a Dockerfile, or the one of a name; None for any other text.

    Args:
        text: the Dockerfile.
        arguments: the values of its ARGs that are given from outside.
        budget: how much references may add to it.
        target: the name of the stage.
    """
    instructions = list(_instructions(text))
    first = next((name for name, _ in instructions if name != "ARG"), "")
    if first != "FROM":
        return None
    stages: dict[str, Stage] = {}
    given: dict[str, str] = {}
    stage = Stage()
    for name, rest in instructions:
        known = {**given, **stage.env}
        if name == "FROM":
            words = [word for word in _words(rest, given, budget) if not word.startswith("--")]
            if len(words) != 1 and [word.lower() for word in words[1:-1]] != ["as"]:
                return None  # docker refuses it
            base = stages.get(words[0], Stage(words[0]))
            stage = evolve(
                base, env=dict(base.env), places=dict(base.places), written=dict(base.written)
            )
            if words[1:]:
                stages[words[2]] = stage
        elif name == "ARG":
            variable, sign, value = partition(rest, "=")
            text_of = joined(_words(value, known, budget))
            variable = str(variable)
            # Without a default it has the one from above the first FROM.
            default = text_of if sign else given.get(variable, hole(f"${variable}"))
            given[variable] = arguments.get(variable, default)
        elif name == "RUN":
            is_read = "vllm" in rest.lower() or ">" in rest
            commands = commands_in(rest, known, budget) if is_read else []
            writes = [words for words in commands if words[:1] in (["echo"], ["printf"])]
            stage.written.update({str(words.to): words[-1] for words in writes if words.to})
            stage.pin = next(filter(None, map(installed, commands)), stage.pin)
        elif name == "ENV":
            for word, value in _variables(rest, known, budget):
                stage.env[str(word)] = value
                stage.places[str(word)] = beginning(word)
        else:
            stage.put(name, rest)
    return stages.get(target, stage)


def _instructions(text: str) -> list[tuple[str, str]]:
    """Return the instructions that matter: name, and what follows."""
    instructions: list[tuple[str, str]] = []
    lines = iter(split(whole(text), "\n"))
    bare = map(blankless, lines)
    for line in _continued(item for item in bare if item and not item.startswith("#")):
        name, _, rest = partition(line, " ")
        if not instructions and name.upper() not in ("FROM", "ARG"):
            break  # another text, in which a line begins with `from`
        if name.upper() in _INSTRUCTIONS:
            instructions.append((name.upper(), blankless(rest)))
        if name.upper() in _WITH_TEXT and (here := _HERE.search(line)):
            for item in lines:
                if item.strip() == here[2]:
                    break
    return instructions


def _words(text: str, env: dict[str, str], budget: Budget) -> list[str]:
    """Return the words of FROM, ARG and ENV, their variables replaced."""
    return [word for command in commands_in(text, env, budget) for word in command]


def _variables(rest: str, env: dict[str, str], budget: Budget) -> list[tuple[str, str]]:
    """Return the variables of `ENV A=1 B=2` or `ENV A text`, and their values."""
    name, _, value = partition(rest, " ")
    if "=" not in name:
        return [(name, blankless(value))]
    pairs = [partition(word, "=") for word in _words(rest, env, budget)]
    return [(name, value) for name, sign, value in pairs if sign]


# --- units of systemd: what a service starts; and Quadlets, which become `podman run` in one

_PREFIXES = "@-:+!|"
_NAME = re.compile(r"\$([A-Za-z_]\w*)", re.ASCII)
_REFERENCE = re.compile(r"\$(?:\$|\{\w{1,250}\})|%%", re.ASCII)
# An escape of C's for one character, and what stands for that until the words are split.
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "s": 32, "t": 9, "v": 11}
# Of the surrogates, which stand for no byte up to 0xDC80, and for that byte from there.
_FIRST = 0xDC00
_ESCAPED = re.compile("[\udc00-\udc7f]")
# The keys of a Quadlet whose words become options of `podman run`.
_OPTIONS = {
    "Environment": ["--env"],
    "EnvironmentFile": [ENV_FILE],
    "PodmanArgs": [],
    "ShmSize": ["--shm-size"],
    "Volume": ["--volume"],
    "Mount": ["--mount"],
    "Tmpfs": ["--tmpfs"],
    "Pod": ["--pod"],
}


def _read_unit(text: str, context: Context) -> Starts:
    """Read the service of a unit."""
    service = _assignments(text)
    if not any(name == "ExecStart" for name, _ in service):
        return None
    assigned = _environment(service)
    findings: list[Finding] = []
    for name, value in service:
        if name == "EnvironmentFile":
            written = blankless(value, "-", "")
            if (words := _variables_of(written, context)) is None:
                key = f"{name}={written}"
                about = finding("unresolved-value", stamped(name, value), case="file", key=key)
                findings.append(about)
            assigned += words or ()
    env = {**context.env, **_pairs(assigned)}
    commands: list[Command] = []
    for name, value in service:
        written = blankless(value, _PREFIXES, "") if name == "ExecStart" else ""
        tokens = _started(written, env, context.budget)
        if not tokens or not (serves(tokens) or any("vllm" in token for token in tokens)):
            continue
        unwrapped = distinct(Unwrapper(context).unwrap([*assigned, *tokens]))
        at = beginning(value)
        commands += [
            evolve(command, place=at, findings=[*command.findings, *findings])
            for command in unwrapped
        ]
    return commands


def _variables_of(path: str, context: Context) -> list[str] | None:
    """Return the variables of a unit's EnvironmentFile, as `NAME=value`: of the file with that
    path, or the one of its name beside the unit; None if there is none.
    """
    files = (context.beside(name) for name in (path, name_of(path))) if context.beside else ()
    file, text = next(filter(None, files), ("", None))
    if text is None:
        return None
    lines = [blankless(line) for line in split(whole(text, file), "\n")]
    assigned = []
    for line in lines:
        name, _, value = partition(line, "=")
        if is_variable(name):  # and no comment
            words = _quoted_words(value) if value[:1] in ("'", '"') else [value]
            assigned.append(joined([name, "=", *words[:1]]))
    return assigned


def _read_quadlet(text: str, context: Context) -> Starts:
    """Read the container of a Quadlet. Of a key that has one value, the last counts (podman's
    pkg/systemd/quadlet/quadlet.go).
    """
    given = _assignments(text, "[Container]")
    last, budget = dict(given), context.budget
    env = {**context.env, **_pairs(_environment(_assignments(text)))}
    options = ["--entrypoint", last["Entrypoint"]] if "Entrypoint" in last else []
    for name, value in given:
        for word in _started(value, env, budget) if name in _OPTIONS else ():
            options += [*_OPTIONS[name], word]
    image, words = (_started(last.get(name, ""), env, budget) for name in ("Image", "Exec"))
    tokens = [*options, *image, *words]
    container = docker_container(tokens, env, context) if image else None
    if container is None:
        return None
    findings = [
        item.with_facts(key=f"EnvironmentFile={item.facts['file']}")
        if "file" in item.facts
        else item
        for item in container.findings
    ]
    at = beginning(last.get("Exec", last["Image"]))
    around = of_options(tokens, is_quadlet=True)
    name = "the container"
    return [evolve(container, name=name, place=at, findings=findings, surroundings=around)]


def _environment(service: Iterable[tuple[str, str]]) -> list[str]:
    """Return the variables that a service sets, as `NAME=value`."""
    texts = (value for name, value in service if name == "Environment")
    return [word for text in texts for word in _quoted_words(text) if "=" in word]


def _pairs(assigned: Iterable[str]) -> dict[str, str]:
    pairs = (partition(word, "=") for word in assigned)
    return {str(name): value for name, _, value in pairs}


def _assignments(text: str, title: str = "[Service]") -> list[tuple[str, str]]:
    """Return the assignments of a section: name, value."""
    assignments: list[tuple[str, str]] = []
    section = ""
    lines = [blankless(line) for line in split(whole(text), "\n")]
    for line in _continued(line for line in lines if not line.startswith(("#", ";"))):
        name, sign, value = partition(line, "=")
        if line.startswith("["):
            section = line
        elif sign and section == title:
            assignments.append((name.strip(), blankless(value)))
    return assignments


def _quoted_words(text: str) -> list[str]:
    """Return the words of a value; systemd ignores one with a quote that is not closed."""

    def kept(written: str) -> str:
        known = int(written[2:], 16) if written[1] == "x" else _ESCAPES.get(written[1])
        return written if known is None else chr(_FIRST + known)

    try:
        words = words_in(replaced(text, _ESCAPE, kept))
    except ValueError:
        return []
    return [replaced(word, _ESCAPED, lambda char: chr(ord(char) - _FIRST)) for word in words]


def _started(text: str, env: dict[str, str], budget: Budget) -> list[str]:
    """Return the tokens of a command; `$NAME` alone is split at blanks, as systemd does."""
    tokens: list[str] = []
    for token in _quoted_words(text):
        name = _NAME.fullmatch(token)
        if name is not None and name[1] in env:
            tokens += [stamped(part, token) for part in split(budget.take(env[name[1]]))]
        elif name is not None:
            tokens.append(hole(token))
        else:
            tokens.append(_expanded(token, env, budget))
    return tokens


def _expanded(text: str, env: dict[str, str], budget: Budget) -> str:
    """Return a token with `${NAME}` replaced; `$$` is `$`, and `%%` is `%`."""

    def value(written: str) -> str:
        name = written[2:-1]
        if not name:
            return written[0]
        return budget.take(env[name]) if name in env else hole(written)

    return replaced(text, _REFERENCE, value)


# --- both


def _continued(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, of which those that end with a backslash are one with the next."""
    parts: list[str] = []
    for line in lines:
        parts.append(blankless(line, None, "") if parts else line)
        if line.endswith("\\"):
            parts[-1] = cut(parts[-1], 0, -1)
        else:
            yield joined(parts, " ")
            parts = []
    if parts:
        yield joined(parts, " ")


READERS: dict[kinds.Kind, Callable[[str, Context], Starts]] = {
    kinds.DOCKERFILE: _read_dockerfile,
    kinds.QUADLET: _read_quadlet,
    kinds.UNIT: _read_unit,
}
"""What reads each kind of files."""
