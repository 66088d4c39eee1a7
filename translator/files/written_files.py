"""Shell scripts, and the files that they write: `cat > vllm.service <<EOF`."""

from __future__ import annotations

from translator.files import unwrap
from translator.files.command import Command, Context
from translator.files.docker_run import ENGINES
from translator.files.programs import name_of, reads_here, starts_server
from translator.files.registry import read_commands
from translator.text.json_text import YamlError
from translator.text.shell import split
from translator.text.shell_words import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A script that writes a script that writes a script; nobody does more.
_DEEPEST = 3
# The files that start something; others, and texts for people, only mention it.
_KINDS = (".service", ".yaml", ".yml", ".sh", ".bash", ".sbatch", ".slurm", "Dockerfile")


def read_script(text: str, context: Context) -> list[Command]:
    """Read a shell script: what it starts, and what the files do that it writes."""
    found = unwrap.read_script(text, context)
    if context.depth == _DEEPEST or not any(map(_may_write, text.split("\n"))):
        return found
    written = unwrap.distinct(_written(text, context.replaced(depth=context.depth + 1)))
    return unwrap.distinct([*filter(starts_server, found), *written]) if written else found


def _written(text: str, context: Context) -> Iterator[Command]:
    """Yield the commands in the here-documents of a script that become files."""
    commands = split(text, context.env)
    seen = set()
    for command, behind in zip(commands, [*commands[1:], Words()]):
        here = command.here
        name = _file_of(command) or (_file_of(behind) if command.ends == "|" else "")
        is_script = here.startswith("#!") and "sh" in here.partition("\n")[0]
        if "vllm" not in here or here in seen or reads_here(command):
            continue
        seen.add(here)
        if not name or not (name.endswith(_KINDS) or is_script):
            continue
        try:
            yield from filter(starts_server, read_commands(here, context, name_of(name)))
        except YamlError:
            continue  # a part of one


def _may_write(line: str) -> bool:
    """Return whether a line may begin a here-document that becomes a file: only these are run."""
    return "<<" in line and "<<<" not in line and (">" in line or "-" in line or "tee" in line)


def _file_of(command: Words) -> str:
    """Return the name of the file that a command makes of its input; "" for none."""
    names = [name_of(word) for word in command]
    if "tee" in names:
        behind = command[names.index("tee") + 1 :]
        return next((word for word in behind if not word.startswith("-")), "")
    if "-" in command and names[0] in ENGINES and "build" in command:
        return "Dockerfile"
    return "stdin.yaml" if "-" in command or "/dev/stdin" in command else command.to
