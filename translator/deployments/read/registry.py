"""The kinds of input that can contain a command, and the functions that read them.

To add a kind, write its module in this folder, and name it in formats/kinds.py and its function
here, in `_read_as`; a kind of YAML documents, in documents.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from translator.core.findings import finding, one_line
from translator.core.tables.images import image_of
from translator.core.text.json_text import YamlError
from translator.core.text.words import Place, place
from translator.deployments.read import Command, Container, Context, unread, unwrap
from translator.deployments.read.arguments import is_foreign, is_of_another, named_by_flags
from translator.deployments.read.programs import (
    ENGINES,
    in_one_string,
    is_command,
    may_start,
    name_of,
    reads_here,
    serves,
    starts_a_file,
    starts_ray,
    starts_server,
)
from translator.formats import kinds
from translator.formats.classes import evolve
from translator.formats.places import NOWHERE, whole
from translator.formats.references import Budget, Words

_SERVER_WORDS = ("serve", "api_server", "vllm-openai")
# How lines of manifests begin: `_read_document`.
_BEGINNINGS = (
    ("services:", "include:", "image:", "environment:")  # compose
    + ("apiVersion:", "kind:", "containers:", "spec:", "args:", "command:", "env:")  # Kubernetes
    + ("modelArtifacts:", "servingEngineSpec:", "model:", "vllm:")  # charts
    + ("applications:", "model_loading_config:")  # Ray, which is not read
    + ("run:", "commands:", "jobs:", "steps:", "docker_server:", "resources:", "cmd:")  # scripts
)
# A JSON object, a list of objects, and a list of texts: no test of a shell, `[ "$X" ] && …`.
_JSON = re.compile(r"""\s*(?:\{\s*"|\[\s*\{|\[\s*"[^"]*"\s*[],])""")
# A script that writes a script that writes a script; nobody does more.
_DEEPEST = 3
# A line of a command that goes on behind the sign of PowerShell or of cmd. In a POSIX shell, "`"
# begins or ends a command inside of another, which no program stands in front of in this way.
_FOR_WINDOWS = (
    r"(?m)^[ \t>]*(?:PS[^>\n]*>[ \t]*)?(?:docker|podman|nerdctl|vllm|py|python3?)\b"
    r"[^\n`^]*[ \t](?P<sign>[`^])[ \t]*\r?\n"
)
# The files that start something; others, and texts for people, only mention it.
_WRITTEN = (".service", ".container", ".yaml", ".yml", "Dockerfile", *kinds.SCRIPT.ends)
_FIRST: Place = ("", 1, 0)  # the first line of a file
_ENDS = tuple(end for kind in kinds.WITH_COMMANDS for end in kind.ends)


def may_be_yaml(text: str) -> bool:
    """Return whether a string looks like a manifest or a part of one, by the beginnings of its
    lines; JSON is a subset of YAML.
    """
    if _JSON.match(text):
        return True
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith("#")]
    return any(line.removeprefix("- ").lstrip().startswith(_BEGINNINGS) for line in lines) or (
        bool(lines) and all(line.startswith("- ") for line in lines)
    )


def read_commands(text: str, context: Context, name: str = "") -> list[Command]:
    """Read all commands in a string: those of a script, or of a manifest's containers.

    Args:
        text: the string.
        context: what it is read in.
        name: of its file, which may tell its kind.

    Raises:
        YamlError: the string is a manifest, but not valid YAML.
    """
    try:
        return next(commands for commands in _read(text, context, name) if commands is not None)
    except YamlError:
        lines = text.split("\n") if name.endswith(".json") else []
        if any(line.lstrip().startswith("//") for line in lines):  # an editor's, with comments
            return []
        raise


def read_text(text: str, context: Context | None = None, name: str = "") -> Command:
    """Read the command in a string; among several containers, that of the first that runs vLLM.

    Args:
        text, context, name: see `read_commands`. In a file, what does not start vLLM is no command.
    """
    try:
        kinds = _read(text, context or Context(), name)
        commands = next((commands for commands in kinds if commands), [])
        if name:
            commands = [item for item in commands if item.starts_vllm and may_start(item)]
            commands = commands or [Command(starts_vllm=False)]
        commands = commands or _read_script(text, context or Context())
    except YamlError as error:
        problem = one_line(str(error))
        return unread(NOWHERE, "bad-manifest", "YAML", "yaml", problem=problem)
    chosen, *others = [item for item in commands if item.starts_vllm] or commands[:1]
    if not chosen.tokens:
        chosen.findings[:] = [
            item.with_severity("error") if item.code == "unreadable-file" else item
            for item in chosen.findings
        ]
    if others:
        names = ", ".join([item.name or f"line {item.place[1]}" for item in others])
        container = chosen.name or f"line {chosen.place[1]}"
        chosen.findings.append(
            finding("cut-off", container, case="containers", container=container, others=names)
        )
    return chosen


def _read(text: str, context: Context, name: str) -> Iterator[list[Command] | None]:
    """Yield what each kind that a text may be of makes of it; at last that nothing is in it."""
    if kinds.TEMPLATE.has(name):
        mentions = kinds.mentions_vllm(text, name)
        yield [unread(_FIRST, "unreadable-file", "{{", "template")] if mentions else []
        return
    ends = filter(name.endswith, kinds.NOT_READ.ends)
    sections = (item for item in kinds.NOT_READ.marks if f"\n{item}" in f"\n{text}")
    if language := next(ends, next(sections, "")):
        yield _unread_program(text, language)
        return
    text, context = whole(text), evolve(context, budget=Budget())
    unread_program = _unread_program(text, next(filter(name.endswith, kinds.PROGRAM.ends), ""))
    for kind in _kinds(text, name):
        try:
            commands = _read_as(kind, text, context)
        except YamlError:  # of a file of another kind, some lines look like YAML
            if not name or kinds.YAML.has(name):
                raise
            commands = None
        unread_program = unread_program if commands is None else []
        yield commands
    yield unread_program


def _unread_program(text: str, kind: str) -> list[Command]:
    """Return the note on a file of a kind that is not read, if it starts vLLM."""
    starts = kind and "vllm" in text and any(word in text for word in _SERVER_WORDS)
    return [unread(_FIRST, "unreadable-file", kind, "kind", kind=kind)] if starts else []


def _kinds(text: str, name: str) -> Iterator[kinds.Kind]:
    """Yield the kinds that a text may be of, by the name of its file and by its lines."""
    is_script = text.startswith("#!") and not name.endswith(_ENDS)
    begins = {line.lstrip(" \t>")[:11] for line in text.split("\n") if line.strip()}
    for kind in kinds.WITH_COMMANDS:
        if name.endswith(_ENDS) or is_script:
            if name.endswith(kind.ends) or (is_script and kind is kinds.SCRIPT):
                yield kind
        elif (kind is not kinds.YAML or may_be_yaml(text)) and (
            not kind.marks or any(line.startswith(kind.marks) for line in begins)
        ):
            yield kind


# --- containers, whatever they are written in: their commands, and which of them run vLLM


def _commands_of(container: Container, context: Context) -> list[Command]:
    """Return the commands that a container starts."""
    unwrapper = unwrap.Unwrapper(context, container)
    findings = (item for item in container.findings if item.code != "shell-variable")
    unreadable = any(item.stops for item in findings)
    started = unwrapper.image(container.image, container.command, container.args)
    commands = [unwrapper.finish()] if unreadable else unwrap.distinct(started)
    return [_command_in(command, container, context) for command in commands]


def _command_in(command: Command, container: Container, context: Context) -> Command:
    words = container.words
    mentioned = serves(words) and unwrap.is_other(command)  # by a script that starts something else
    of_another = is_of_another(command.tokens, context.tables)
    is_known = _is_known(container, words, context)
    is_guess = not is_known and context.reads(container.telling) and not starts_ray(words)
    return evolve(
        command,
        starts_vllm=(is_known or is_guess) and not (mentioned or of_another),
        is_guess=is_guess,
        by_variables=not words
        and command.vllm is None
        and not container.image.rpartition("/")[2].startswith("vllm"),
    )


def _is_known(container: Container, words: list[str], context: Context) -> bool:
    """Return whether a container runs vLLM by its command, its image, or its flags."""
    tables = context.tables
    if starts_ray(words):
        return False
    if serves(words) or in_one_string(words):
        return True
    image = image_of(container.image, tables)
    if (image.holds_vllm and image.runs == "program") or container.is_platforms:
        return context.reads(container.telling, 0, image.dialect)
    if container.command and not starts_a_file(words) and not words[0].endswith("vllm"):
        return False
    runs = image.runs
    if "vllm" in container.image.lower() and runs != "program":
        return runs == "server" or (bool(runs or words) and not is_foreign(words, tables))
    return not runs and not container.command and named_by_flags(words, tables)


# --- texts


# Readers are loaded when a text may be theirs; a command line needs none, nor YAML.
def _read_as(kind: kinds.Kind, text: str, context: Context) -> list[Command] | None:
    """Read a text as one of a kind; None if it is none."""
    if kind is kinds.SCRIPT:  # shell commands, including `docker run …`
        return _read_script(text, context)
    if kind is kinds.YAML:
        from translator.deployments.read.documents import read_documents

        containers, notes = read_documents(text, context)
        return [command for item in containers for command in _commands_of(item, context)] + notes
    if kind is kinds.DOCUMENT:
        from translator.deployments.read.markdown import read_blocks

        return read_blocks(text, context, read_commands)
    if kind is kinds.PROGRAM:
        from translator.deployments.read.python import read_program

        starts: Sequence[Container | Command] | None = read_program(text, context)
    else:
        from translator.deployments.read.directives import READERS

        starts = READERS[kind](text, context)
    if starts is None:
        return None
    of_containers = [_commands_of(item, context) for item in starts if isinstance(item, Container)]
    commands = [item for started in of_containers for item in started if item.starts_vllm]
    return unwrap.distinct([*commands, *(item for item in starts if isinstance(item, Command))])


def _read_script(text: str, context: Context) -> list[Command]:
    """Read a shell script: what it starts, and what the files do that it writes, such as with
    `cat > vllm.service <<EOF`.
    """
    if for_windows := re.search(_FOR_WINDOWS, text):
        shell = "PowerShell" if for_windows["sign"] == "`" else "cmd"
        at = place(text, for_windows.start()) or _FIRST
        return [unread(at, "unreadable-file", shell, "kind", kind=shell)]
    commands = unwrap.read_script(text, context)
    if context.depth == _DEEPEST or "<<" not in text:
        return commands
    written = unwrap.distinct(_written(text, evolve(context, depth=context.depth + 1)))
    return unwrap.distinct([*filter(may_start, commands), *written]) if written else commands


def _written(text: str, context: Context) -> Iterator[Command]:
    """Yield the commands in the here-documents of a script that become files."""
    from translator.deployments.text.shell import split

    commands = split(text, context.env)
    for command, behind in zip(commands, [*commands[1:], Words()]):
        here = command.here
        if "vllm" not in here or reads_here(command):
            continue
        name = _file_of(command) or (_file_of(behind) if command.ends == "|" else "")
        is_script = here.startswith("#!") and "sh" in here.partition("\n")[0]
        if name and (name.endswith(_WRITTEN) or is_script):
            try:
                yield from filter(starts_server, read_commands(here, context, name_of(name)))
            except YamlError:
                continue  # a part of one


def _file_of(command: Words) -> str:
    """Return the name of the file that a command makes of its input; "" for none."""
    names = [name_of(word) for word in command]
    if "tee" in names:
        behind = command[names.index("tee") + 1 :]
        return next((word for word in behind if not word.startswith("-")), "")
    if "-" in command and names[0] in ENGINES and "build" in command:
        return "Dockerfile"
    return "stdin.yaml" if "-" in command or "/dev/stdin" in command else command.to


def read_behind(tokens: Sequence[str], context: Context | None = None) -> Command:
    """Read what follows `--`: tokens, or a whole command line in quotes."""
    text = tokens[0] if len(tokens) == 1 else ""
    is_long = len(text.split()) > 1  # a path may contain blanks
    if _JSON.match(text) or (is_long and (is_command(text) or may_be_yaml(text))):
        return read_text(text, context)
    return unwrap.read_tokens(tokens, context)
