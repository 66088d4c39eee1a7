"""The programs of commands: which of them start another one, and which start vLLM; and what `docker
run` and its like start.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from translator.core.argv.rewriting import HELP
from translator.core.findings import finding
from translator.core.tables.catalog import Tables, shipped
from translator.core.tables.images import RELEASES, Image, image_of
from translator.core.tables.versions import parse
from translator.core.text.json_text import JsonError, loads
from translator.core.text.words import cut, stamped
from translator.deployments.read import Command, Container, Context
from translator.deployments.read.arguments import is_foreign, is_of_another, named_by_flags
from translator.deployments.read.beside import variables_beside
from translator.deployments.read.pins import Pin, of_image
from translator.deployments.read.surroundings import Surroundings, gpus_of, shm_of
from translator.formats.places import beginning, partition, replaced
from translator.formats.places import split as split_at
from translator.formats.references import END, Words, has_hole, visible

# This project's entrypoint, also as a module of Python.
PROGRAM, MODULE, EXEC = "translate", "translator", "exec"
# Programs that start the first program among their arguments: their options are too many to list.
STARTERS = frozenset(
    ("sudo", "env", "exec", "nohup", "time", "command", "setsid", "nice", "ionice", "stdbuf")
    + ("numactl", "taskset", "timeout", "tini", "dumb-init", "srun", "mpirun", "mpiexec")
    + ("apptainer", "singularity", "enroot", "systemd-run", "sshpass")
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
_OTHER_MODULES = ("vllm.entrypoints.grpc_server", "vllm.entrypoints.openai.run_batch")
DEMO = "vllm.entrypoints.api_server"  # its server for demonstrations, which is told

SERVER = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
ENGINES = ("docker", "podman", "nerdctl")
ENV_FILE = "--env-file"
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
    if name in _CONTAINERS and container_options(tokens[at:]) is not None:
        return at
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
    """Return the index of the first token from one on that is a known program, also one that only
    mentions others (`sudo echo vllm serve`; not the value of an option: `timeout -s kill`).
    """
    for index in range(at, len(tokens)):
        name = name_of(tokens[index])
        behind = tokens[index + 1 : index + 3]
        if has_hole(name) and behind[:1] == ["-m"] and "".join(behind[1:]).startswith("vllm."):
            return index  # run "$PYTHON" -m vllm.entrypoints…
        if name == "vllm" and tokens[index + 1 : index + 2] != ["serve"]:
            continue  # such as the name of an environment
        tells = name in _TELLERS and not tokens[index - 1].startswith("-")
        if tells or name in _STARTED:
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
    return first in _STARTED or first == "serve" or first.startswith("python") or _serves_in(text)


def serves(words: Sequence[str]) -> bool:
    """Return whether a command starts vLLM's server or `translate exec`, by its words."""
    if not words:
        return False
    first = started_by(words, 0)
    if words[first] in _TELLERS or "→" in words:  # a diagram
        return False
    if words[first + 1 : first + 2] == ["-"]:  # python3 - vllm serve …: the program is its input
        return False
    may_be_ours = EXEC in words
    mentions_vllm = any("vllm" in word for word in words)
    for at, word in enumerate(words):
        if may_be_ours and entrypoint(words, at):
            return True
        if "vllm" in word.lower() and _is_server(words, at):
            return True
        name = name_of(word)
        starts = name in _CONTAINERS and mentions_vllm
        options = container_options(words[at:]) if starts else None
        if options is not None and may_start_vllm(options):
            return True
        texts = words[at + 1 :] if name in CARRIERS else ()
        if any("vllm" in text and " " in text and _serves_in(text) for text in texts):
            return True
    # Behind an option are the arguments of a command, and no shell.
    return not words[0].startswith("-") and _runs_script(words)


def _serves_in(text: str) -> bool:
    """Return whether a command in a text of a shell starts vLLM's server or `translate exec`."""
    from translator.deployments.text.shell import split  # lazy: few words are such a text

    return any(map(serves, split(text)))


def _runs_script(words: Sequence[str]) -> bool:
    """Return whether a shell runs what mentions vLLM, or our own command, behind it."""
    vllms = [at for at, word in enumerate(words) if "vllm" in word]
    own = [at for at, word in enumerate(words) if EXEC in word and entrypoint(word.split())]
    return any(
        name_of(word) in SHELLS and _script_of(words[at + 1 :]) not in _RAY
        for at, word in enumerate(words[: max([*vllms, *own], default=0)])
    )


def _is_server(words: Sequence[str], at: int) -> bool:
    """Return whether a word of a command is vLLM's program or the module of its server."""
    word, subcommand = words[at], words[at + 1 : at + 2]
    if word.startswith("vllm.entrypoints."):
        is_module = words[max(at - 1, 0)] in ("-m", word) and word not in _OTHER_MODULES
        if is_module and (word != _VLLM or subcommand in (["serve"],)):
            return True
    is_hole = has_hole(word) and "/" not in word.rpartition(END)[2]  # and no folder
    is_program = name_of(word) == "vllm" or (is_hole and "vllm" in word.lower())
    return is_program and subcommand in (["serve"],)


def starts_server(command: Command) -> bool:
    """Return whether what was read is known to start vLLM, by its container and by its words, or
    would start it if its image's entrypoint did not. Who asks for help (`--help=ModelConfig`) or
    the version wants no server.
    """
    if not {*HELP, "--version"}.isdisjoint(item.partition("=")[0] for item in command.tokens):
        return False
    is_known = serves(command.tokens) or command.entry is not None
    twice = any(item.code == "starts-something-else" for item in command.findings)
    is_known = command.starts_vllm and (is_known or twice)
    return is_known and not is_of_another(command.tokens, shipped())


def may_start(command: Command) -> bool:
    """Return whether a command of a file is vLLM's, by what is known of it: it starts the server,
    its variables configure one, it holds nothing but the server's flags, or it cannot be read.
    """
    flags = command.tokens[:1] and command.tokens[0].startswith("-")
    return (
        starts_server(command)
        or command.by_variables
        or is_unread(command)
        or bool(flags and named_by_flags(command.tokens, shipped()))
    )


def is_unread(command: Command) -> bool:
    """Return whether a command stands for a part of a file that cannot be read, or for vLLM's demo
    server.
    """
    return any(item.has_trait("unread") for item in command.findings)


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


# Packages in whose place pip puts another vLLM, whose version is not known; and the options with
# which it does so for a name alone.
_NEWER = r"vllm(?:\[.*\])?\s*[<>~@].*|\S*/vllm(?:(?:\.git|@|-\d)\S*)?"
_UPGRADES = frozenset(("-U", "--upgrade", "--force-reinstall", "--reinstall"))


def installed(words: Sequence[str]) -> Pin | None:
    """Return the pin of a vLLM that a command installs, as in `pip install vllm==0.6.2`, or that a
    line of requirements names; None for none, and where pip keeps the one that is there.
    """
    if words and words[0] not in _TELLERS:
        # uv takes several in one word.
        parts = (part for word in words if "==" in word for part in split_at(word, ","))
        for name, sign, written in (partition(part, "==") for part in parts):
            if name.partition("[")[0].rstrip().lower() != "vllm":
                continue
            minor, star, _ = written.partition(".*")
            newest = [item for item in shipped().versions() if item.startswith(f"{minor}.")]
            known = parse(newest[-1] if star and newest else written)
            if has_hole(written):
                return Pin(visible(f"vllm=={written}"), written=written, is_release=False)
            if sign and known is not None and known.numbered:
                return Pin(f"vllm=={known}", str(known), written)
        wanted = _NEWER if _UPGRADES.isdisjoint(words) else rf"{_NEWER}|vllm(?:\[.*\])?"
        for word in words if "install" in words else ():
            if re.fullmatch(wanted, word):
                return Pin(visible(word), is_release=False)
    return None


# In front of a command: the option that names its image, and how runtimes of clusters write one.
_OF_IMAGE = r"--(?:[\w-]+-)?image(?:=|\Z)"
_PULLED = r"(?:docker|oras)://|docker:(?!/)"
PACKED = (".sif", ".simg", ".sqsh")
_OF_ENROOT = re.compile("#")
_RELEASE = r"\d+\.\d+\.\d+(?:\.post\d+)?(?![\d.]*\d)"
# The image of a batch job, which pyxis reads.
_DIRECTIVE = r"(?m)^#SBATCH[ \t]+--container-image[= ][\"']?([^\s\"']+)"


def pin_of_job(text: str, tables: Tables) -> Pin | None:
    """Return the pin in the header of a batch job; None if it has none."""
    match = re.search(_DIRECTIVE, text)
    return pin_in_front(["--image", cut(text, *match.span(1))], tables) if match else None


def pin_in_front(words: Sequence[str], tables: Tables) -> Pin | None:
    """Return the pin of a vLLM that the words in front of a command name: the image that it runs
    in (`srun --container-image=`, `apptainer exec docker://`), or a package (`uvx --from vllm==`).
    """
    for before, word in zip(["", *words], words):
        option = re.match(_OF_IMAGE, word)
        value = cut(word, option.end() if option else 0)
        is_image = value and (option or re.fullmatch(_OF_IMAGE, before))
        pulled = re.match(_PULLED, value)
        # enroot writes `nvcr.io#nvidia/vllm:25.09`.
        image = replaced(cut(value, pulled.end() if pulled else 0), _OF_ENROOT, lambda _: "/")
        known = image_of(image, tables)
        if value.endswith(PACKED):
            name = name_of(value)
            numbers = re.search(_RELEASE, name) if "vllm" in name.lower() else None
            is_known = numbers is not None and numbers[0] in tables.records(RELEASES)
            release = numbers[0] if numbers is not None and is_known else ""
            return Pin(visible(value), release=release, is_release=False)
        if is_image or pulled or known.runs:
            return of_image(image, known)
    packages = [partition(word, "=")[2] if word.startswith("--with=") else word for word in words]
    return installed(packages)


def starts_ray(words: Sequence[str]) -> bool:
    """Return whether a container only joins Ray: a worker of several machines."""
    texts = [word for word in words if any(name in word for name in _RAY)]
    return bool(texts) and not any(map(_serves_in, texts))


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


def starts_another(image: str, known: Image, args: list[str]) -> bool:
    """Return whether nothing says that an image starts vLLM with these arguments."""
    if not args:
        return not known.runs
    first = args[0]
    is_script = first.endswith((".sh", ".py")) or name_of(first) in SHELLS
    is_script = is_script or args[1:2] == ["serve"]  # such as vllm-omni serve
    # Models are paths, or names behind their organization's.
    is_program = first[:1] != "-" and "/" not in first and not has_hole(first)
    is_anothers = is_program or is_foreign(args, shipped())
    return is_script or (not known.runs and "vllm" not in image and is_anothers)


def in_one_string(words: Sequence[str]) -> list[str]:
    """Return the words of a command whose first item is a whole command line; [] for others."""
    parts = split_at(words[0]) if words else []
    return [*parts, *words[1:]] if len(parts) > 1 and serves(parts) else []


def reads_here(command: Words) -> bool:
    """Return whether a command runs the here-document that it reads."""
    is_shell = any(name_of(word) in SHELLS for word in command)
    return bool(command.here) and is_shell and "-c" not in command


# --- `docker run`, and programs like it

_RUNS = ("run", "create", "container run", "container create", "service create")
_APPTAINER = ("apptainer", "singularity")
_KUBECTL = ("kubectl", "oc")
_CONTAINERS = frozenset((*ENGINES, *_APPTAINER, *_KUBECTL))
_SIF = r"[a-z-]+://|.*\.sif$"  # an image of Apptainer's: an address, or a file


def container_options(words: Sequence[str]) -> list[str] | None:
    """Return the options, the image and the arguments of a command that starts a container, as
    `docker run` takes them; None for any other command.
    """
    name, given = name_of(words[0]), list[str]()
    if name in ENGINES:
        begins = next((at for at in (2, 3) if " ".join(words[1:at]) in _RUNS), 0)
        return list(words[begins:]) if begins else None
    if name in _APPTAINER and words[1:2] == ["run"] and first_known(words, 2) == len(words):
        # What it runs gives the arguments to the entrypoint of the image that it was made of.
        behind = next((at for at, word in enumerate(words) if re.match(_SIF, word)), 0)
        image = partition(words[behind], "://")[2] or words[behind]
        texts = _values("--env", words[:behind])
        variables = [item for text in texts for item in split_at(text, ",")]
    elif name in _KUBECTL and "run" in words[1:4] and "--" in words:
        behind = words.index("--")
        image = "".join(_values("--image", words[:behind])[-1:])
        variables = _values("--env", words[:behind])
        given = ["--entrypoint="] if "--command" in words[:behind] else []
    else:
        return None
    for text in variables:
        given += ["--env", text]
    return [*given, image, *words[behind + 1 :]] if behind and image else None


def _values(option: str, words: Sequence[str]) -> list[str]:
    """Return the values of an option: `--image NAME`, `--image=NAME`."""
    pairs = zip(words, [*words[1:], ""])
    given = [(partition(word, "="), behind) for word, behind in pairs]
    return [text if sign else behind for (name, sign, text), behind in given if name == option]


# The options of `docker run` without a value (docker 27's reference); all others take one.
_SWITCHES = frozenset(
    ("--detach", "--interactive", "--tty", "--publish-all", "--quiet", "--rm", "--init")
    + ("--privileged", "--read-only", "--no-healthcheck", "--oom-kill-disable", "--sig-proxy")
    + ("--disable-content-trust", "--help", "--use-api-socket", "--tls-verify", "--replace")
    + ("--no-hosts", "--env-host", "--http-proxy")
    + ("--no-resolve-image", "--with-registry-auth")  # of `docker service create`
)
# Short options, such as -it or -eA=1: switches, and at last one with a value.
_SHORT = r"(?s)-(?!-)[dtiPq]*(.?)=?"
_MOUNTS = ("-v", "--volume", "--mount", "--tmpfs")
# Those that stand in front of an image and not behind it: a value that is not known in front of
# them is no image, but more options.
_BEFORE_IMAGE = frozenset(
    ("-d", "-it", "--rm", "--gpus", "--device", "--runtime", "--ipc", "--shm-size", "--ulimit")
    + ("--net", "--network", "-p", "--publish", "-v", "--volume", "--mount", "-w", "--workdir")
    + ("-e", "--env", "--env-file", "--name", "--entrypoint", "--restart", "--privileged")
)


def docker_container(
    tokens: list[str], env: Mapping[str, str], context: Context | None = None
) -> Container | None:
    """Return what `docker run` or `create` starts; None without an image. For `exec`, the container
    that runs is taken for the image.

    Args:
        tokens: what follows `docker run`.
        env: docker's environment, as far as it is known.
        context: with the files beside the input; None: none is read.
    """
    pairs, rest = _split(tokens)
    if not rest:
        return None
    image, *args = rest
    command: list[str] | None = None
    entrypoint = [text for name, text in pairs if name == "--entrypoint"]
    if entrypoint:  # an empty one leaves out the image's; podman takes a list, too
        words = string_array(entrypoint[-1]) or [entrypoint[-1]]
        command, args = (words, args) if entrypoint[-1] else (args, [])
    container = Container(image=image, command=command, args=args)
    given = {text.partition("=")[0] for name, text in pairs if name in ("-e", "--env")}
    for option, value in pairs:
        name, sign, text = partition(value, "=")
        if option == ENV_FILE and (
            read := variables_beside(value, "docker", context) if context else None
        ):
            container.env.update({it: known for it, known in read[0].items() if it not in given})
            container.places.update({it: at for it, at in read[1].items() if it not in given})
        elif option == ENV_FILE:
            facts = {"key": f"{ENV_FILE} {value}", "file": value}
            subject = stamped(ENV_FILE, value)
            container.findings.append(finding("unresolved-value", subject, case="file", **facts))
        elif option in ("-e", "--env"):
            container.places[str(name)] = beginning(name)
            if sign or name in env:
                container.env[str(name)] = text if sign else env[name]
                continue
            facts = {"source": "docker's own environment", "write": f"-e {name}=VALUE"}
            container.findings.append(finding("unresolved-value", name, variable=name, **facts))
    return container


def _split(tokens: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the options with their values, and the tokens after them."""
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "--":
            return pairs, tokens[at + 1 :]
        is_open = has_hole(token) or token in ("...", "…")
        behind = partition("".join(tokens[at + 1 : at + 2]), "=")[0]
        is_array = "[@]" in token and behind[:1] not in ("", "-")  # of options that may be none
        is_before = behind in _BEFORE_IMAGE or bool(image_of(behind, shipped()).runs)
        if is_open and (is_array or is_before):
            at += 1
            continue
        if not token.startswith("-") or token == "-":
            break
        at += 1
        name, sign, value = partition(token, "=")
        if match := re.match(_SHORT, token):
            name, value = f"-{match[1]}", cut(token, match.end())
            sign = "=" if value else ""
        if name in _SWITCHES or name == "-":
            continue
        if not sign:
            if at == len(tokens):
                break
            value = tokens[at]
            at += 1
        pairs.append((name, value))
    return pairs, tokens[at:]


def of_options(tokens: list[str], is_quadlet: bool = False) -> Surroundings:
    """Return what the options of `docker run`, or of what a Quadlet starts, give to a container."""
    pairs, rest = _split(tokens)
    given, options = dict(pairs), tokens[: len(tokens) - len(rest)]
    words = {word for word in options if word[:1] != "-"}.difference(text for _, text in pairs)
    if any(has_hole(word) or word in ("...", "…") for word in words):
        return Surroundings()  # they may be more options
    requests = ",".join(text for name, text in pairs if name == "--gpus")
    gpus = None if "--privileged" in options else gpus_of(requests, "--gpus %d")
    if given.keys() & {"--ipc", "--pod"}:
        return Surroundings(gpus)
    mounts = [text for name, text in pairs if name in _MOUNTS]
    form = "`ShmSize=%dg`" if is_quadlet else "`--shm-size %dg` or `--ipc=host`"
    return Surroundings(gpus, shm_of(given.get("--shm-size"), mounts, form))


def may_start_vllm(tokens: Sequence[str]) -> bool:
    """Return whether `docker run` with these tokens may start vLLM: by the image, or by what the
    container gets. A name that mentions vLLM tells nothing of an image that gets no arguments.
    """
    started = docker_container(list(tokens), {})
    if started is None or has_hole(started.image):
        return True
    words, tables = started.words, shipped()
    # Behind flags, a word that mentions vLLM is a value, such as the name of another image.
    behind_flags = bool(started.args) and started.args[0][:1] == "-"
    programs = (started.command or []) if behind_flags else words
    if image_of(started.image, tables).runs or any(map(_mentions_vllm, programs)):
        return True
    if "vllm" in started.image:
        return bool(words) and not is_foreign(words, tables)
    return named_by_flags(words, tables)


def _mentions_vllm(word: str) -> bool:
    """Return whether a word may be vLLM's program or a script that starts it, not its address."""
    return "vllm" in word and ("://" not in word or " " in word)


def starts_vllm(image: Image, command: list[str] | None) -> bool:
    """Return whether it is known what the container starts: vLLM, by its image or by name, or one
    of our commands.
    """
    return name_of(command[0]) in ("vllm", PROGRAM) if command else image.runs == "server"


def string_array(text: str) -> list[str] | None:
    """Return the strings of a JSON array, placed if without escapes; None for anything else."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value = loads(text.strip())
    except JsonError:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    strings, at = [], 0
    for item in value:
        start = text.find(f'"{item}"', at) + 1
        at = start + len(item) + 1 if start else at
        strings.append(cut(text, start, at - 1) if start and item else item)
    return strings
