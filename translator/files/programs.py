"""The programs of commands: which of them start another one, and which start vLLM."""

from __future__ import annotations

from collections.abc import Sequence

from translator.files.command import Command
from translator.files.docker_run import ENGINES, may_start_vllm
from translator.tables.builds import Image
from translator.tables.versions import parse
from translator.text.placed import split as split_placed
from translator.text.references import has_hole
from translator.text.shell import Words, split

# This project's entrypoint, also as a module of Python.
PROGRAM, MODULE, EXEC = "translate", "translator", "exec"
# Programs that start the first program among their arguments: their options are too many to list.
STARTERS = frozenset(
    ("sudo", "env", "exec", "nohup", "time", "command", "setsid", "nice", "ionice", "stdbuf")
    + ("numactl", "taskset", "timeout", "tini", "dumb-init", "srun", "mpirun", "mpiexec")
    + ("apptainer", "singularity", "enroot", "systemd-run")
)
# Those that do so with their subcommand `run`.
_RUNNERS = frozenset(("uv", "poetry", "pixi", "pdm", "hatch", "conda"))
# Programs that start a command of another place: it is their last argument, or stands behind `--`.
CARRIERS = frozenset(("ssh", "tmux", "screen", "su", "runuser", "kubectl", "oc", "flock", "script"))
# Programs that only mention a command.
_TELLERS = frozenset(("echo", "printf", "pkill", "pgrep", "grep", "kill", "killall", "cat", "#"))
# Scripts of vLLM's that start Ray, and leave the server to another command.
_RAY = frozenset(("multi-node-serving.sh", "run_cluster.sh"))

_VLLM = "vllm.entrypoints.cli.main"  # the module that `vllm` starts, with the same arguments
# Modules of vLLM's that are other programs than its server.
_OTHER_MODULES = frozenset(("vllm.entrypoints.grpc_server", "vllm.entrypoints.openai.run_batch"))

SHELLS = ("sh", "bash", "dash", "zsh", "ash")
_SHELL_SIGNS = frozenset(";|&$`\n")
_STARTED = frozenset(("vllm", PROGRAM, *SHELLS, *ENGINES, *STARTERS, *_RUNNERS))


def name_of(word: str) -> str:
    """Return the name of a program without its folder."""
    return word.rpartition("/")[2]


def entrypoint(words: Sequence[str], at: int = 0) -> int:
    """Return how many words at an index form `translate exec` or `python -m translator exec`."""
    name = name_of(words[at])
    if name == PROGRAM:
        return 2 if list(words[at + 1 : at + 2]) == [EXEC] else 0
    if not name.startswith("python"):
        return 0
    end = at + 1
    while end < len(words) and words[end].startswith("-") and words[end] != "-m":
        end += 1
    return end + 3 - at if list(words[end : end + 3]) == ["-m", MODULE, EXEC] else 0


def started_by(tokens: Sequence[str], at: int) -> int:
    """Return the index of the program that the one at an index starts; its own index if it starts
    none, or one that stands in a text.
    """
    name = name_of(tokens[at])
    if name in CARRIERS:
        behind = tokens.index("--", at) + 1 if "--" in tokens[at:] else at
        return at if "".join(tokens[behind : behind + 1]).startswith("-") else behind
    if name not in STARTERS and not (name in _RUNNERS and "run" in tokens[at + 1 : at + 2]):
        return at
    if tokens[at + 1 : at + 2] in (["exec"], ["run"]):  # no shell's `exec`; of an image's program
        known = first_known(tokens, at + 2)
        return known if known < len(tokens) else at
    known = first_known(tokens, at + 1)
    words = (at for at in range(at + 1, len(tokens)) if tokens[at][:1] not in "-0123456789")
    return known if known < len(tokens) else next(words, at)


def first_known(tokens: Sequence[str], at: int) -> int:
    """Return the index of the first token from one on that is a known program."""
    for index in range(at, len(tokens)):
        name = name_of(tokens[index])
        if name == "vllm" and tokens[index + 1 : index + 2] != ["serve"]:
            continue  # such as the name of an environment
        if name in _STARTED:
            return index
        if name.startswith("python") and not tokens[index].endswith(".py"):
            return index
    return len(tokens)


def is_command(text: str) -> bool:
    """Return whether a string of several words is a command: it contains options or shell syntax,
    begins with a known program, or starts vLLM.
    """
    words = text.split()
    # Any other program becomes a finding later, and is never read as a model path.
    if any(word.startswith("-") for word in words) or not _SHELL_SIGNS.isdisjoint(text):
        return True
    first = name_of(words[1] if words[0] == "$" else words[0])
    return (
        first in _STARTED
        or first == "serve"
        or first.startswith("python")
        or any(serves(item) for item in split(text) if item)
    )


def serves(words: Sequence[str]) -> bool:
    """Return whether a command starts vLLM's server or `translate exec`, by its words."""
    if words and words[0] in _TELLERS:
        return False
    options_first = bool(words) and words[0].startswith("-")  # what is left of a command
    # Where the last word is that mentions vLLM, as a text of several words, or as our own command.
    mentions = max((at for at, item in enumerate(words) if "vllm" in item), default=-1)
    texts = max((at for at, item in enumerate(words) if "vllm" in item and " " in item), default=-1)
    ends = [at for at, item in enumerate(words) if EXEC in item and entrypoint(item.split())]
    scripts = max([mentions, *ends])
    may_be_ours = EXEC in words
    for at, word in enumerate(words):
        if may_be_ours and entrypoint(words, at):
            return True
        name, behind = name_of(word), words[at + 1 : at + 2]
        is_module = word.startswith("vllm.entrypoints.") and word not in _OTHER_MODULES
        is_module = is_module and (word != _VLLM or behind in (["serve"],))
        if (name == "vllm" and behind in (["serve"],)) or is_module:
            return True
        starts = name in ENGINES and behind in (["run"], ["container"])
        if starts and mentions >= 0 and may_start_vllm(words[at + 2 :]):
            return True
        if name in CARRIERS and at < texts:
            return True
        runs = name in SHELLS and at < scripts and not options_first
        if runs and _script_of(words[at + 1 :]) not in _RAY:
            return True
    return False


def starts_server(command: Command) -> bool:
    """Return whether what was read is known to start vLLM, by its container and by its words, or
    would start it if its image's entrypoint did not.
    """
    is_known = serves(command.tokens) or command.entry is not None
    twice = any(item.code == "starts-something-else" for item in command.findings)
    return command.starts_vllm and (is_known or twice)


def _script_of(arguments: Sequence[str]) -> str:
    """Return the name of the file that a shell runs with these arguments; "" for a text or none."""
    for word in arguments:
        if takes_text(word):
            return ""
        if not word.startswith("-"):
            return name_of(word)
    return ""


def takes_text(word: str) -> bool:
    """Return whether an option of a shell says that a text to run follows: `-c`, `-lc`."""
    return word.startswith("-") and not word.startswith("--") and "c" in word


def installed(words: Sequence[str]) -> str:
    """Return the version of vLLM that a command installs, as in `pip install vllm==0.6.2`, or that
    a line of requirements names; "" for none.
    """
    if words and words[0] not in _TELLERS:
        for word in words:
            name, _, version = word.partition("==")
            known = parse(version) if name.partition("[")[0].rstrip() == "vllm" else None
            if known is not None and known.numbered:
                return str(known)
    return ""


def starts_ray(words: Sequence[str]) -> bool:
    """Return whether a container only joins Ray: a worker of several machines."""
    texts = [word for word in words if any(name in word for name in _RAY)]
    return bool(texts) and not any(serves(item) for text in texts for item in split(text))


def starts_a_file(words: Sequence[str]) -> bool:
    """Return whether a command is a script whose text is elsewhere, and which may start vLLM."""
    return bool(words) and name_of(words[0]) in SHELLS and bool(_script_of(words[1:]))


def is_whole(args: list[str], image: Image) -> bool:
    """Return whether the arguments of a container are a whole command."""
    if not args or serves(args):
        return bool(args)
    first = args[0]
    return (
        first in ("vllm", "serve")
        or first.startswith("python")
        or (name_of(first) in SHELLS and image.runs != "server")
        or (image.runs == "command" and not first.startswith("-"))
    )


def is_program(word: str) -> bool:
    """Return whether the first argument of a container is a program rather than a model or a flag:
    models are paths, or names behind their organization's.
    """
    return word[:1] != "-" and "/" not in word and not has_hole(word)


def in_one_string(words: Sequence[str]) -> list[str]:
    """Return the words of a command whose first item is a whole command line; [] for others."""
    parts = split_placed(words[0]) if words else []
    return [*parts, *words[1:]] if len(parts) > 1 and serves(parts) else []


def reads_here(command: Words) -> bool:
    """Return whether a command runs the here-document that it reads."""
    is_shell = any(name_of(word) in SHELLS for word in command)
    return bool(command.here) and is_shell and "-c" not in command
