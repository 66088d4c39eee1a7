"""The kinds of input that can contain a command, and the functions that read them.

To add a kind, write its module in this folder and name its function here. Modules are imported only
when needed, because PyYAML takes as long to import as everything else.
"""

from __future__ import annotations

from translator.files.command import Command, Context
from translator.files.programs import is_command
from translator.files.unwrap import read_tokens
from translator.findings import finding, one_line
from translator.text.json_text import YamlError, string_array
from translator.text.lines import with_posix_lines
from translator.text.placed import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


# Kinds of input: MODULE.FUNCTION, which receives the string and a Context, and returns the commands
# in it, or None if the string is of another kind. The first that returns commands wins.
TEXT_KINDS = (
    "unwrap.read_json_array",  # ["vllm", "serve", "org/m"], as in a Dockerfile
    "markdown.read_blocks",  # the code blocks of a document
    "dockerfile.read_dockerfile",
    "systemd.read_unit",
    "manifest.read_manifest",  # YAML or JSON of the kinds below
    "written_files.read_script",  # shell commands, including `docker run …`
)

# What a text kind begins a line with; others are tried on every text.
_MARKS = {
    "markdown.read_blocks": ("```", "~~~", ".. code"),
    "dockerfile.read_dockerfile": ("FROM ", "from "),
    "systemd.read_unit": ("[Service]",),
}
# The kinds of a file whose name tells them, by its end.
_SCRIPT = ("unwrap.read_json_array", "written_files.read_script")
_BY_NAME = {
    (".sh", ".bash", ".slurm", ".sbatch"): _SCRIPT,
    (".yaml", ".yml"): ("unwrap.read_json_array", "manifest.read_manifest"),
    (".md", ".markdown", ".rst", ".mdx"): ("markdown.read_blocks",),
}
_TEMPLATE_NAMES = (".tpl", ".j2", ".jinja", ".jinja2", ".gotmpl", ".tmpl")
# Files that start vLLM, but hold its command only in parts or in a language of their own: the ends
# of their names, and the sections of supervisord and of Podman's Quadlet.
NOT_READ = (
    (".py", ".ipynb", ".tf", ".hcl", ".go", ".js", ".ts", ".rs", ".java", ".nix", ".ps1")
    + ("Makefile", "makefile", ".mk", "justfile", "Justfile", ".just", ".container")
)  # fmt: skip
_NOT_READ_SECTIONS = ("[program:", "[Container]")
_SERVER_WORDS = ("serve", "api_server", "vllm-openai")
# How lines of manifests begin: `manifest.DOCUMENT_KINDS`.
_BEGINNINGS = (
    ("services:", "include:", "image:", "environment:")  # compose
    + ("apiVersion:", "kind:", "containers:", "spec:", "args:", "command:", "env:")  # Kubernetes
    + ("modelArtifacts:", "servingEngineSpec:", "model:", "vllm:")  # charts
    + ("applications:", "engine_kwargs:", "model_loading_config:")  # Ray
    + ("run:", "commands:", "jobs:", "steps:", "docker_server:", "resources:")  # scripts
)

# What follows the first bracket of a JSON object, and of a list of objects.
_INSIDE = {"{": '"', "[": "{"}


def function(place: str) -> Any:
    """Return a function of this package by MODULE.FUNCTION."""
    module, _, name = place.partition(".")
    return getattr(__import__(f"translator.files.{module}", fromlist=(name,)), name)


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
        found = found or function("written_files.read_script")(text, context or Context())
    except YamlError as error:
        problem = one_line(str(error))
        return Command(findings=[finding("bad-manifest", "YAML", case="yaml", problem=problem)])
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
    if name.endswith(_TEMPLATE_NAMES):
        told = [finding("unreadable-file", "{{", case="template")]
        yield [Command(findings=told, place=("", 1, 0))] if "vllm" in text else []
        return
    if kind := _not_read(text, name):
        starts = "vllm" in text and any(word in text for word in _SERVER_WORDS)
        told = [finding("unreadable-file", kind, case="kind", kind=kind)]
        yield [Command(findings=told, place=("", 1, 0))] if starts else []
        return
    text = with_posix_lines(whole(text))
    read: Callable[[str, Context], list[Command] | None]
    for place in _kinds(text, name):
        read = function(place)
        yield read(text, context)
    yield []


def _not_read(text: str, name: str) -> str:
    """Return which kind of file a text is of those that are not read; "" for any other."""
    kind = next((end for end in NOT_READ if name.endswith(end)), "")
    sections = (item for item in _NOT_READ_SECTIONS if f"\n{item}" in f"\n{text}")
    return kind or next(sections, "")


def _kinds(text: str, name: str) -> Iterator[str]:
    """Yield the kinds that a text may be of, by the name of its file and by its lines."""
    named = next((kinds for ends, kinds in _BY_NAME.items() if name.endswith(ends)), None)
    if named is None and text.startswith("#!"):
        named = _SCRIPT
    begins = {line.lstrip(" \t>")[:11] for line in text.split("\n") if line.strip()}
    for place in named or TEXT_KINDS:
        marks = _MARKS.get(place)
        if marks and not any(line.startswith(marks) for line in begins):
            continue
        if named is None and place == "manifest.read_manifest" and not may_be_yaml(text):
            continue
        yield place


def read_behind(tokens: Sequence[str], context: Context | None = None) -> Command:
    """Read what follows `--`: tokens, or a whole command line in quotes."""
    if len(tokens) == 1 and _is_text(tokens[0]):
        return read_text(tokens[0], context)
    return read_tokens(tokens, context)


def _is_text(token: str) -> bool:
    """Return whether one token is a whole command line. A path may contain blanks."""
    if string_array(token) is not None:
        return True
    if len(token.split()) < 2:
        return False
    return is_command(token) or may_be_yaml(token)
