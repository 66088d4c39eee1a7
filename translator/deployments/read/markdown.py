"""Documents: the commands and manifests in their code blocks."""

from __future__ import annotations

import re
from collections.abc import Callable

from translator.core.tables.versions import parse
from translator.core.text.json_text import YamlError
from translator.core.text.words import cut, joined, quote
from translator.deployments.read import Command, Context
from translator.deployments.read.pins import of_version
from translator.deployments.read.programs import starts_server
from translator.formats.classes import evolve
from translator.formats.places import beginning, replaced, split, stripped, whole
from translator.formats.references import hole

_FENCE = re.compile(r"^([ \t>]*)(`{3,}(?!.*`)|~{3,})[ \t]*(?:\{code-block\}[ \t]*)?\{?\.?([\w+-]*)")
# An option of a block in MyST or reStructuredText: `:substitutions:`.
_OPTION = re.compile(r"^[ \t]*:[\w-]+:")
_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|code|sourcecode)::[ \t]*(\w*)")
_INDENTS = ("    ", "\t")  # of a block of code without a fence
_BULLETS = ("- ", "* ", "+ ")
# A command between paragraphs: with a flag right behind its model, and not the end of a sentence.
_COMMAND = re.compile(
    r"^[ \t]*(?:\$ )?(?:\w+=\S* )*(?:uv run )?(?:vllm serve(?: +[^\s/]*/\S+ +-|.*\\$)"
    r"|python3? -m vllm\.entrypoints\.openai\.api_server +(?:-|\\$)).*(?<![.,:])$"
)
# The vLLM of a document: `pip install vllm==0.10.2`, `**vLLM version:** 0.10.2`.
_VERSION = re.compile(r"\bvllm(?:==|[ *_]+version[*_: ]+v?)(\d+\.\d+\.\d+\w*)", re.IGNORECASE)
# A place for a value in the commands of documents: `--model <your model>`, `vllm serve m [flags]`.
_PLACE = re.compile(r"<([A-Za-z][\w ./:-]{0,60})>|(?<=[]\w>\"'] )\[([A-Za-z][\w ./-]{0,60})\]")
# JSON in a text that is for no shell, which would remove its quotes.
_JSON = re.compile(r"(?<=[ =])\{\"[^'\n]*\}(?=\s|$)")
_DRAWN = frozenset("│┌└├▼")  # of a diagram
# The prompt of root, which would be a comment in a script.
_ROOT = re.compile(r"^[ \t]*# (?=(?:vllm|docker|podman|python3?|sudo) )", re.MULTILINE)
_CONSOLES = ("console", "shell-session", "shellsession")
_SHELLS = ("bash", "sh", "shell", "zsh", *_CONSOLES)
_LANGUAGES = frozenset(
    (*_SHELLS, "", "text")
    + ("yaml", "yml", "json", "dockerfile", "docker", "ini", "systemd", "toml", "cmd", "bat")
    + ("powershell", "pwsh", "ps1")
)


def read_blocks(
    text: str, context: Context, read: Callable[[str, Context, str], list[Command]]
) -> list[Command] | None:
    """Read the code blocks of a document; None for a text without any.

    Args:
        text: the document.
        context: what it is read in.
        read: returns the commands in a block, by the name that a file of it would have.
    """
    started: list[Command] = []
    blocks = [block for block in _blocks(text) if block[1] != text]  # or it is read for ever
    versions = {name for name in _VERSION.findall(text) if parse(name) is not None}
    for language, block in blocks:
        is_drawn = language in ("", "text") and not _DRAWN.isdisjoint(block)
        if language not in _LANGUAGES or is_drawn or not ("vllm" in block or "serve" in block):
            continue
        block = _without_places(language, block)
        # What a command of a shell writes may be a manifest.
        name = "x.sh" if "<<" in block and language in (*_SHELLS, "") else ""
        try:
            commands = read(block, context, name)
        except YamlError:
            continue  # a part of a manifest, or an example with dots
        for command in filter(starts_server, commands):
            if len(command.argv) == 2 and not command.contained:
                continue  # `vllm serve` is only mentioned
            if any(token[0:1] == "-" and token[-1] == "," for token in command.tokens):
                continue  # a part of a list in another language
            at = command.place if command.place[1] else beginning(block)
            command = evolve(command, place=at)
            if len(versions) == 1 and command.pin is None:
                command = evolve(command, pin=of_version(min(versions)))
            started.append(command)
    return started if blocks else None


def _without_places(language: str, block: str) -> str:
    """Return a block with holes for what a reader fills in, without a console's prompts."""
    if language not in ("yaml", "yml", "json"):
        block = replaced(block, _PLACE, hole)
    if language == "text":
        block = replaced(block, _JSON, quote)
    return replaced(block, _ROOT, lambda _: "") if language in _CONSOLES else block


def _is_indented(lines: list[str], at: int) -> bool:
    """Return whether a block of code begins in a line by its indent alone: behind a blank line that
    follows a paragraph, and not in an item of a list, or as one.
    """
    if at < 2 or not lines[at].startswith(_INDENTS) or lines[at - 1].strip():
        return False
    if lines[at].lstrip().startswith(_BULLETS):
        return False
    above = next((line for line in lines[at - 1 :: -1] if line.strip()), "")
    return above[:1] not in (*" \t-*+", "") and not above[:1].isdecimal()


def _blocks(text: str) -> list[tuple[str, str]]:
    """Return the code blocks: the language of each, and its text."""
    blocks: list[tuple[str, str]] = []
    lines = split(whole(text), "\n")
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
                cut(line, len(indent)) if line.startswith(indent) else stripped(line, None, "")
                for line in lines[start:at]
            ]
            at += 1
        elif directive is not None:
            indent, language = directive.groups()
            at = _end_of_block(lines, at, (indent + " ", indent + "\t"))
            block = [stripped(line, "\r", "\r") for line in lines[start:at]]
            depths = [len(line) - len(line.lstrip()) for line in block if line.strip()]
            block = [cut(line, min(depths, default=0)) for line in block]
        elif _is_indented(lines, at - 1):
            language = ""
            at = _end_of_block(lines, at, _INDENTS)
            block = [stripped(line, "\r", "\r") for line in lines[start - 1 : at]]
        elif _COMMAND.match(lines[at - 1]):
            language = ""
            while at < len(lines) and lines[at - 1].endswith("\\"):
                at += 1
            block = lines[start - 1 : at]
        else:
            continue
        for number, line in enumerate(block):
            if line.strip() and not _OPTION.match(line):
                break
            block[number] = ""
        blocks.append((language.lower(), joined(block, "\n")))
    return blocks


def _end_of_block(lines: list[str], at: int, indents: tuple[str, ...]) -> int:
    """Return the index of the first line from one on that is neither blank nor indented."""
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith(indents)):
        at += 1
    return at
