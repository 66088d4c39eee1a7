"""The kinds of input that can contain a command, and the functions that read them.

To add a kind, write its module in this folder and name its function here; a kind of YAML documents,
in documents.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve, frozen

from translator.files import unwrap
from translator.files.command import Command, Context, unread
from translator.files.docker_run import ENGINES
from translator.files.manifest import read_manifest
from translator.files.programs import is_command, name_of, reads_here, starts_server
from translator.findings import finding, one_line
from translator.text.json_text import YamlError, string_array
from translator.text.lines import with_posix_lines
from translator.text.placed import NOWHERE, Place, whole
from translator.text.references import Budget
from translator.text.shell import Words, split

_TEMPLATE_NAMES = (".tpl", ".j2", ".jinja", ".jinja2", ".gotmpl", ".tmpl")
# Files that start vLLM, but hold its command only in parts or in a language of their own: the ends
# of their names, and the sections of supervisord and of Podman's Quadlet.
NOT_READ = (
    (".py", ".ipynb", ".tf", ".hcl", ".go", ".js", ".ts", ".rs", ".java", ".nix", ".ps1")
    + ("Makefile", "makefile", ".mk", "justfile", "Justfile", ".just", ".container")
)  # fmt: skip
_NOT_READ_SECTIONS = ("[program:", "[Container]")
_SERVER_WORDS = ("serve", "api_server", "vllm-openai")
# How lines of manifests begin: `documents.DOCUMENT_KINDS`.
_BEGINNINGS = (
    ("services:", "include:", "image:", "environment:")  # compose
    + ("apiVersion:", "kind:", "containers:", "spec:", "args:", "command:", "env:")  # Kubernetes
    + ("modelArtifacts:", "servingEngineSpec:", "model:", "vllm:")  # charts
    + ("applications:", "engine_kwargs:", "model_loading_config:")  # Ray
    + ("run:", "commands:", "jobs:", "steps:", "docker_server:", "resources:")  # scripts
)
# What follows the first bracket of a JSON object, and of a list of objects.
_INSIDE = {"{": '"', "[": "{"}
# A script that writes a script that writes a script; nobody does more.
_DEEPEST = 3
# The files that start something; others, and texts for people, only mention it.
_WRITTEN = (".service", ".yaml", ".yml", ".sh", ".bash", ".sbatch", ".slurm", "Dockerfile")
_FIRST: Place = ("", 1, 0)  # the first line of a file


def may_be_yaml(text: str) -> bool:
    """Return whether a string looks like a manifest or a part of one, by the beginnings of its
    lines; JSON is a subset of YAML.
    """
    start = text.lstrip()[:1]
    if start in _INSIDE and text.lstrip()[1:].lstrip()[:1] == _INSIDE[start]:
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
    return next(found for found in _read(text, context, name) if found is not None)


def read_text(text: str, context: Context | None = None, name: str = "") -> Command:
    """Read the command in a string; among several containers, that of the first that runs vLLM.

    Args:
        text, context, name: see `read_commands`.
    """
    try:
        kinds = _read(text, context or Context(), name)
        found = next((commands for commands in kinds if commands), [])
        found = found or _read_script(text, context or Context())
    except YamlError as error:
        problem = one_line(str(error))
        return unread(NOWHERE, "bad-manifest", "YAML", "yaml", problem=problem)
    chosen, *others = [item for item in found if item.starts_vllm] or found[:1]
    if not chosen.tokens:
        chosen.findings[:] = [
            item.as_error() if item.code == "unreadable-file" else item for item in chosen.findings
        ]
    if others:
        names = ", ".join([item.name or f"line {item.place[1]}" for item in others])
        container = chosen.name or f"line {chosen.place[1]}"
        chosen.findings.append(
            finding(
                "cut-off",
                container,
                case="containers",
                container=container,
                others=names,
            )
        )
    return chosen


def _read(text: str, context: Context, name: str) -> Iterator[list[Command] | None]:
    """Yield what each kind that a text may be of makes of it; at last that nothing is in it."""
    if name.endswith(_TEMPLATE_NAMES):
        yield [unread(_FIRST, "unreadable-file", "{{", "template")] if "vllm" in text else []
        return
    if language := _not_read(text, name):
        starts = "vllm" in text and any(word in text for word in _SERVER_WORDS)
        told = unread(_FIRST, "unreadable-file", language, "kind", kind=language)
        yield [told] if starts else []
        return
    text, context = with_posix_lines(whole(text)), evolve(context, budget=Budget())
    for kind in _kinds(text, name):
        yield kind.read(text, context)
    yield []


def _not_read(text: str, name: str) -> str:
    """Return which kind of file a text is of those that are not read; "" for any other."""
    kind = next((end for end in NOT_READ if name.endswith(end)), "")
    sections = (item for item in _NOT_READ_SECTIONS if f"\n{item}" in f"\n{text}")
    return kind or next(sections, "")


def _kinds(text: str, name: str) -> Iterator[_Kind]:
    """Yield the kinds that a text may be of, by the name of its file and by its lines."""
    is_script = text.startswith("#!") and not name.endswith(_ENDS)
    begins = {line.lstrip(" \t>")[:11] for line in text.split("\n") if line.strip()}
    for kind in _KINDS:
        if name.endswith(_ENDS) or is_script:
            is_named = name.endswith(kind.ends) or (is_script and ".sh" in kind.ends)
            if not is_named:
                continue
        elif kind.read is read_manifest and not may_be_yaml(text):
            continue
        if not kind.marks or any(line.startswith(kind.marks) for line in begins):
            yield kind


# The readers of texts are loaded when a text may be theirs: most files are manifests and scripts.
def _read_blocks(text: str, context: Context) -> list[Command] | None:
    from translator.files.markdown import read_blocks

    return read_blocks(text, context, read_commands)


def _read_dockerfile(text: str, context: Context) -> list[Command] | None:
    from translator.files.dockerfile import read_dockerfile

    return read_dockerfile(text, context)


def _read_unit(text: str, context: Context) -> list[Command] | None:
    from translator.files.systemd import read_unit

    return read_unit(text, context)


def _read_script(text: str, context: Context) -> list[Command]:
    """Read a shell script: what it starts, and what the files do that it writes, such as with
    `cat > vllm.service <<EOF`.
    """
    found = unwrap.read_script(text, context)
    if context.depth == _DEEPEST or "<<" not in text:
        return found
    written = unwrap.distinct(_written(text, evolve(context, depth=context.depth + 1)))
    return unwrap.distinct([*filter(starts_server, found), *written]) if written else found


def _written(text: str, context: Context) -> Iterator[Command]:
    """Yield the commands in the here-documents of a script that become files."""
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


@frozen
class _Kind:
    """A kind of text.

    Attributes:
        read: returns the commands in a text, or None if the text is of another kind.
        ends: of the names of its files; a file with one of them is of no other kind.
        marks: what a line of it begins with; () for a kind that is tried on every text.
    """

    read: Callable[[str, Context], list[Command] | None]
    ends: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


_SCRIPTS = (".sh", ".bash", ".slurm", ".sbatch")
_YAML = (".yaml", ".yml")
# The first that returns commands wins.
_KINDS = (
    _Kind(unwrap.read_json_array, _SCRIPTS + _YAML),  # ["vllm", "serve", "org/m"]
    _Kind(_read_blocks, (".md", ".markdown", ".rst", ".mdx"), ("```", "~~~", ".. code")),
    _Kind(_read_dockerfile, (), ("FROM ", "from ")),
    _Kind(_read_unit, (), ("[Service]",)),
    _Kind(read_manifest, _YAML),
    _Kind(_read_script, _SCRIPTS),  # shell commands, including `docker run …`
)
_ENDS = tuple(end for kind in _KINDS for end in kind.ends)


def read_behind(tokens: Sequence[str], context: Context | None = None) -> Command:
    """Read what follows `--`: tokens, or a whole command line in quotes."""
    if len(tokens) == 1 and _is_text(tokens[0]):
        return read_text(tokens[0], context)
    return unwrap.read_tokens(tokens, context)


def _is_text(token: str) -> bool:
    """Return whether one token is a whole command line. A path may contain blanks."""
    if string_array(token) is not None:
        return True
    if len(token.split()) < 2:
        return False
    return is_command(token) or may_be_yaml(token)
