"""Record which versions accept each public command, as `accepted` of its entry in
tests/cases/recipes.

    python -m tests.real.record          asks the real parsers of all versions (half an hour)
"""

import re

from cases import Recipe

from translator.core.tables.versions import runs

from . import install
from .laws import Argv
from .parsers import Parsers
from .test_recipes import argv_of, recipes

_ENTRY = re.compile(r"^\[\[.*\]\]\n(?:(?!^\[\[).*\n?)*", re.MULTILINE)
_COMMAND = re.compile(r"^command = '''(.*?)'''$", re.MULTILINE | re.DOTALL)
_ACCEPTED = re.compile(r"^accepted = .*\n", re.MULTILINE)


def asked() -> dict[Argv, list[str]]:
    """Ask all parsers: command → the versions that accept it."""
    versions = install.versions()
    parsers = Parsers(install.install(versions), versions)
    lines = [argv_of(recipe) for recipe in recipes()]
    found: dict[Argv, list[str]] = {argv: [] for argv in lines}
    for version in versions:
        for argv, answer in zip(lines, parsers.parse(version, lines), strict=True):
            if answer.ok is not None and version not in found[argv]:
                found[argv].append(version)
        print(version, flush=True)
    parsers.close()
    return found


def write(accepting: dict[Argv, list[str]]) -> None:
    """Write the record into the files of the recipes."""
    versions = install.versions()

    def entry(match: re.Match[str]) -> str:
        text = _ACCEPTED.sub("", match[0])
        command = _COMMAND.search(text)
        assert command is not None, text
        having = accepting.get(argv_of(Recipe(command[1])))
        if having is None:
            return text
        spans = [f"{one}-{other}" if one != other else one for one, other in runs(versions, having)]
        line = "accepted = [" + ", ".join(f'"{span}"' for span in spans) + "]\n"
        body = text.rstrip("\n")
        return body + "\n" + line + text[len(body) + 1 :]

    for file in sorted((install.CHECKOUT / "tests" / "cases" / "recipes").glob("*.toml")):
        file.write_text(_ENTRY.sub(entry, file.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write(asked())
