"""Documents: the commands and manifests in their code blocks."""

from __future__ import annotations

import re

from translator.commands.command import Command, Context, ManifestError
from translator.commands.programs import serves
from translator.commands.registry import read_commands

_FENCE = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*(?:\{code-block\}[ \t]*)?\{?\.?([\w+-]*)")
# An option of a block in MyST or reStructuredText: `:substitutions:`.
_OPTION = re.compile(r"^[ \t]*:[\w-]+:")
_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|code|sourcecode)::[ \t]*(\w*)")
# A place for a value in the commands of documents: `--model <your model>`.
_PLACE = re.compile(r"<([A-Za-z][\w ./:-]{0,60})>")
_NO_NAME = re.compile(r"\W")
_LANGUAGES = frozenset(
    ("", "bash", "sh", "shell", "console", "zsh", "text", "shell-session", "shellsession")
    + ("yaml", "yml", "json", "dockerfile", "docker", "ini", "systemd", "toml", "cmd", "bat")
)


def read_blocks(text: str, context: Context) -> list[Command] | None:
    """Read the code blocks of a document; None for a text without any."""
    found: list[Command] = []
    blocks = _blocks(text)
    for line, language, block in blocks:
        if language not in _LANGUAGES or ("vllm" not in block and "serve" not in block):
            continue
        if language not in ("yaml", "yml", "json"):
            block = _PLACE.sub(lambda place: f"${{{_NO_NAME.sub('_', place[1])}}}", block)
        try:
            commands = read_commands(block, context)
        except ManifestError:
            continue  # a part of a manifest, or an example with dots
        for command in commands:
            if command.starts_vllm and (serves(command.tokens) or command.entry is not None):
                lines = {name: number + line for name, number in command.lines.items()}
                found.append(command.replaced(line=(command.line or 1) + line, lines=lines))
    return found if blocks else None


def _blocks(text: str) -> list[tuple[int, str, str]]:
    """Return the code blocks: the line in front of each, its language, its text."""
    found: list[tuple[int, str, str]] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        fence, directive = _FENCE.match(lines[at]), _DIRECTIVE.match(lines[at])
        start = at + 1
        at += 1
        if fence is not None:
            indent, mark, language = fence.groups()
            while at < len(lines) and not lines[at].lstrip(" \t>").startswith(mark):
                at += 1
            block = [
                line[len(indent) :] if line.startswith(indent) else line.lstrip()
                for line in lines[start:at]
            ]
            at += 1
        elif directive is not None:
            indent, language = directive.groups()
            while at < len(lines) and (
                not lines[at].strip() or lines[at].startswith((indent + " ", indent + "\t"))
            ):
                at += 1
            block = [line.strip("\r") for line in lines[start:at]]
            depths = [len(line) - len(line.lstrip()) for line in block if line.strip()]
            block = [line[min(depths, default=0) :] for line in block]
        else:
            continue
        for number, line in enumerate(block):
            if line.strip() and not _OPTION.match(line):
                break
            block[number] = ""
        found.append((start, language.lower(), "\n".join(block)))
    return found
