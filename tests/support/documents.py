"""The examples of README.md, CONTRIBUTING.md and docs/: the tests run them, and

    python -m tests.support.documents

writes into the documents what their commands print now, and draws their pictures.

A ```console block holds `$ command` and what it prints, on stdout and then on stderr. An ellipsis
cuts a line; a line that is nothing but one stands for all further lines. A block of another
language whose first line is `# FILE` is a file in the current folder of the document's commands.
An image whose text is `COMMAND in a terminal` is a picture of what that command shows there.
"""

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .program import process, translate
from .terminal import picture

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w./-]+\.\w+|\.env)\n")
PICTURE = re.compile(r"!\[(translate .+) in a terminal\]\((.+\.svg)\)")
ELLIPSIS = "…"


def blocks(document: Path, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    text = document.read_text(encoding="utf-8")
    return [body for name, body in BLOCK.findall(text) if name == language]


def files(document: Path) -> dict[str, str]:
    """Return the files that a document shows: path → content."""
    found = {}
    for language, body in BLOCK.findall(document.read_text(encoding="utf-8")):
        named = FILE.match(body)
        if named is not None and language not in ("console", "text", "sh"):
            found[named[1]] = body
    return found


def sessions(document: Path) -> list[tuple[str, list[str]]]:
    """Return each `$ command` of the console blocks with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for body in blocks(document, "console"):
        for line in body.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def without_a_shell(command: str) -> tuple[list[str], dict[str, str]] | None:
    """Return the arguments of `NAME=VALUE translate …` and its variables; None for anything that
    only a shell can run.
    """
    if re.search(r"[|&;<>$`*\\\\]", re.sub(r"'[^']*'", "", command)):
        return None
    words = shlex.split(command)
    at = words.index("translate") if "translate" in words else 0
    if not at and words[0] != "translate":
        return None
    variables = dict(sorted(word.split("=", 1) for word in words[:at] if "=" in word))
    return (words[at + 1 :], variables) if len(variables) == at else None


@contextmanager
def beside(document: Path) -> Iterator[Path]:
    """A folder with the files that a document shows."""
    with tempfile.TemporaryDirectory() as name:
        for path, content in files(document).items():
            place = Path(name, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8")
        yield Path(name)


def pictures(document: Path) -> dict[Path, str]:
    """Return the pictures of a document, as its commands show themselves now: path → SVG."""
    named = PICTURE.findall(document.read_text(encoding="utf-8"))
    with beside(document) as folder:
        return {document.parent / path: picture(command, folder) for command, path in named}


def run(command: str, document: Path) -> list[str]:
    """Run a command beside the document's files, in an environment with nothing of vLLM's.

    Returns:
        The lines of its stdout, then those of its stderr.
    """
    with beside(document) as folder:
        plain = without_a_shell(command)
        if plain is not None:
            ran = translate(*plain[0], env={"HOME": "/nonexistent", **plain[1]}, cwd=folder)
            return [*ran.out.splitlines(), *ran.err.splitlines()]
        bin_folder = folder / ".bin"
        bin_folder.mkdir()
        program = bin_folder / "translate"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m translator "$@"\n')
        program.chmod(0o755)
        import translator  # the installed one, or that of the checkout: the one under test

        env = {
            "PATH": f"{bin_folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "PYTHONPATH": str(Path(translator.__file__).parents[1]),
            "LC_ALL": "C.UTF-8",
            "HOME": "/nonexistent",
        }
        done = process(["bash", "-c", command], env=env, cwd=folder)
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]


def as_shown(printed: list[str], expected: list[str]) -> list[str]:
    """Return what was printed, cut where the document cuts it."""
    if expected[-1:] == [ELLIPSIS] and len(printed) >= len(expected):
        printed = [*printed[: len(expected) - 1], ELLIPSIS]
    cut = [
        line
        if ELLIPSIS not in wanted or not line.startswith(wanted[: wanted.index(ELLIPSIS)])
        else line[: wanted.index(ELLIPSIS)] + ELLIPSIS
        for line, wanted in zip(printed, expected, strict=False)
    ]
    return cut + printed[len(cut) :]


def refreshed(document: Path) -> str:
    """Return a document with what its commands print now."""

    def block(match: re.Match[str]) -> str:
        if match[1] != "console":
            return match[0]
        lines = []
        for part in re.split(r"^(?=\$ )", match[2], flags=re.MULTILINE):
            command, *expected = part.splitlines() or [""]
            if command:
                lines += [command, *as_shown(run(command[2:], document), expected)]
        return "```console\n" + "".join(f"{line}\n" for line in lines) + "```"

    return BLOCK.sub(block, document.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for document in DOCUMENTS:
        for path, text in {document: refreshed(document), **pictures(document)}.items():
            if not path.exists() or text != path.read_text(encoding="utf-8"):
                path.write_text(text, encoding="utf-8")
                print(f"written: {path.relative_to(ROOT)}")
