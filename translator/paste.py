"""What people paste: a command line as documentation, a shell's history, a docker command or a manifest has it, taken apart into tokens and variables."""

from __future__ import annotations

from translator import ours
from translator import version as versions
from translator.findings import Finding, finding, has_errors, one_line, show
from translator.shellwords import Words, assignment, split, unknowns, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.manifest import Container
    from translator.ours import Entry, Reads
    from translator.secrets import Secrets

# Programs in front of another: the options of theirs that take a value, and how many arguments stand before the other's name.
_WRAPPERS: dict[str, tuple[tuple[str, ...], int]] = {
    "sudo": (("-u", "-g", "-h", "-p", "-C", "--user", "--group"), 0),
    "env": (("-u", "--unset", "-C", "--chdir", "-S"), 0),
    "exec": (("-a",), 0),
    "nohup": ((), 0),
    "time": ((), 0),
    "command": ((), 0),
    "setsid": ((), 0),
    "nice": (("-n",), 0),
    "ionice": (("-c", "-n"), 0),
    "stdbuf": (("-i", "-o", "-e"), 0),
    "numactl": (("-N", "-m", "-C", "-i"), 0),
    "taskset": ((), 1),
    "timeout": (("-s", "-k"), 1),
    "tini": ((), 0),
    "dumb-init": ((), 0),
}
_RUNNERS = {"uv": "run", "poetry": "run", "pixi": "run", "pdm": "run", "hatch": "run"}
_SHELLS = ("sh", "bash", "dash", "zsh", "ash")
_ENGINES = ("docker", "podman", "nerdctl")
_SHELLS_SIGNS = frozenset(";|&$`\n")
# The options of `docker run` that take no value (docker 27's reference); all others take one.
_DOCKER_SWITCHES = frozenset(
    (
        "-d", "--detach", "-i", "--interactive", "-t", "--tty", "-P", "--publish-all", "-q", "--quiet", "--rm", "--init", "--privileged", "--read-only",
        "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "--disable-content-trust", "--help", "--use-api-socket",
        "--tls-verify", "--replace", "--no-hosts", "--env-host", "--http-proxy",
    )
)  # fmt: skip
_DOCKERS_FILE = "--env-file"
_DOCKER_SHORT_SWITCHES = frozenset("dtiPq")
_MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
# How the names of the images begin that vLLM publishes: their entrypoint is vLLM's server. Any other may have one of its own.
_VLLMS_IMAGES = ("vllm-openai", "vllm-cpu-release-repo")


class Pasted:
    """A command, taken apart.

    Attributes:
        tokens: the command line, `vllm serve` in front; of our own entrypoint, the tokens that win over the variables.
        env: the variables that stood with it.
        vllm: the version that its image's tag names, or that our own entrypoint is told, or None.
        contained: whether it runs in a container, where other files are.
        entry: how our own entrypoint was started, which reads the variables; None of any other command.
        findings: what was left out, and what cannot be known.
        secrets: by which its findings show nothing secret; None: by the tables of the project.
        reads: whether there are names of a dialect's among those of some variables, by which a container is recognised.
        unknown: what only a shell could tell, as it was written → as a finding names it. The tokens have it as it was written.
        names: of the variables, also of those whose values are not known.
        telling: those among them by which a container may be recognised; None: all.
        laid: whether the variables that are known besides are its environment, as `docker run --env-file` has it.
    """

    __slots__ = ("contained", "entry", "env", "findings", "laid", "names", "reads", "secrets", "telling", "tokens", "unknown", "vllm")

    def __init__(self, secrets: Secrets | None = None, reads: Reads = ours.nobody) -> None:
        self.secrets = secrets
        self.tokens: list[str] = []
        self.env: dict[str, str] = {}
        self.vllm: str | None = None
        self.contained = False
        self.entry: Entry | None = None
        self.findings: list[Finding] = []
        self.reads = reads
        self.unknown: dict[str, str] = {}
        self.names: set[str] = set()
        self.telling: set[str] | None = None
        self.laid = False


def from_text(text: str, env: Mapping[str, str] | None = None, secrets: Secrets | None = None, reads: Reads = ours.nobody) -> Pasted:
    """Take apart a text: a shell command, a JSON list as Dockerfiles have it, or YAML with a container in it.

    Args:
        text: what was pasted.
        env: the variables that it may refer to.
        secrets, reads: as of `Pasted`.
    """
    env = env or {}
    stripped = text.strip()
    if stripped.startswith("["):
        listed = _json_list(stripped)
        if listed is not None:
            return from_tokens(listed, env, secrets, reads)
    if _may_be_yaml(text):
        found = _from_yaml(text, env, secrets, reads)
        if found is not None:
            return found
    return _settled(_from_script(text, env, Pasted(secrets, reads)))


def from_tokens(tokens: Sequence[str], env: Mapping[str, str] | None = None, secrets: Secrets | None = None, reads: Reads = ours.nobody) -> Pasted:
    """Take apart a command that is already split into tokens.

    Args:
        tokens: the command.
        env: the variables that a script inside of it (`sh -c …`) may refer to.
        secrets, reads: as of `Pasted`.
    """
    done = Pasted(secrets, reads)
    _unwrap(list(tokens), env or {}, done)
    return _settled(done)


def from_behind(tokens: Sequence[str], env: Mapping[str, str] | None = None, secrets: Secrets | None = None, reads: Reads = ours.nobody) -> Pasted:
    """Take apart what stands behind `--`: tokens, or a whole command line as one text in quotes. The arguments are those of `from_tokens`."""
    if len(tokens) == 1 and _is_command_line(tokens[0]):
        return from_text(tokens[0], env, secrets, reads)
    return from_tokens(tokens, env, secrets, reads)


def _is_command_line(text: str) -> bool:
    """Whether one token is a command line: it begins with an option or a program, or serves, or is what `from_text` takes besides. A path may hold blanks."""
    words = text.split()
    if text.strip().startswith("[") and _json_list(text.strip()) is not None:
        return True
    if len(words) < 2:
        return False
    if any(word.startswith("-") for word in words) or not _SHELLS_SIGNS.isdisjoint(text):  # another program's, which is told, and never taken for a model
        return True
    first = words[1] if words[0] == "$" else words[0]
    return _is_program(first) or _may_be_yaml(text) or any(serves(item) for item in split(text) if item)


def _is_program(word: str) -> bool:
    """Whether a word names a program that is known here."""
    name = word.rpartition("/")[2]
    return name in ("vllm", "serve", "conda", ours.PROGRAM, *_WRAPPERS, *_RUNNERS, *_SHELLS, *_ENGINES) or name.startswith("python")


def _settled(done: Pasted) -> Pasted:
    """Tell of what is not known and matters: on the command line an error; a variable is left out. What has been told is not told again."""
    told = {item.subject for item in done.findings if item.code == "shell-variable"}
    done.names.update(done.env)
    for whole in unknowns(done.tokens):
        shown = _without_arguments(whole)
        done.unknown[whole] = shown
        if whole.startswith(("$(", "`")):
            done.findings.append(finding("shell-syntax", shown, f"{shown} needs a shell that runs it", "write what it prints"))
        elif shown not in told:
            message = f"{shown} is a shell variable, and what it holds is not known"
            done.findings.append(finding("shell-variable", shown, message, f"give it with --env-file, or write its value instead of {shown}"))
    done.tokens = [visible(token) for token in done.tokens]
    for name, text in list(done.env.items()):
        if unknowns([text]):
            del done.env[name]
            shown_all = [_without_arguments(item) for item in unknowns([text])]
            if told.issuperset(shown_all):
                done.unknown.update(zip(unknowns([text]), shown_all, strict=True))
                continue
            message = f"{show(name)} refers to {', '.join(shown_all[:3])}, and what that holds is not known: it is left out"
            done.findings.append(finding("unresolved-value", show(name), message, f"give it with --env-file, or write {show(name)}=VALUE"))
    return done


def _without_arguments(whole: str) -> str:
    """`$NAME`, `${NAME…}`, `$(program …)`: what stands behind may be secret."""
    for start, end in (("$(", ")"), ("`", "`"), ("${", "}")):
        if whole.startswith(start):
            inner = whole[len(start) :].removesuffix(end).strip()
            word = inner.split()[0] if inner.split() else ""
            stop = next((at for at, char in enumerate(word) if not (char.isalnum() or char in ("_-./" if start != "${" else "_"))), len(word))
            rest = "" if word[:stop] == inner else "…" if start == "${" or stop < len(word) else " …"
            return show(f"{start}{word[:stop]}{rest}{end}", 40)
    return show(whole, 40)


# --- scripts -----------------------------------------------------------------------------------------------------------------


def _from_script(text: str, env: Mapping[str, str], done: Pasted) -> Pasted:
    commands = _joined(split(text, env))
    chosen = next((item for item in commands if serves(item)), None)
    if chosen is None:
        others = [item for item in commands if item and not _exports(item)]
        chosen = others[0] if others else Words()
        if len(others) > 1 and not chosen[0].startswith("-"):
            done.findings.append(finding("not-vllm-serve", show(chosen[0]), "none of the commands is `vllm serve`, or starts it", "paste the one that does"))
            return done
    for item in commands:
        if item is chosen:
            break
        if item[:1] == ["export"] and _exports(item):
            done.env.update(_exports(item))
        elif _exports(item):
            shown = " ".join(f"{name}=…" for name in _exports(item))
            message = f"`{shown}` sets a variable of the shell, which vLLM does not see"
            done.findings.append(finding("cut-off", shown, message, "write export in front of it if it should"))
        elif item:
            done.findings.append(_cut(item))
    if chosen.ends == "|":
        behind = commands[commands.index(chosen) + 1 :][:1]
        done.findings.append(_cut(behind[0] if behind and behind[0] else ["|"]))
    elif chosen.ends not in ("", "\n"):
        at = commands.index(chosen) + 1
        done.findings += [_cut(item) for item in commands[at : at + 1] if item]
    done.findings += chosen.findings
    _unwrap(list(chosen), env, done)
    return done


def _joined(commands: list[Words]) -> list[Words]:
    """Lines that begin with an option belong to the command before: the backslash got lost on the way."""
    found: list[Words] = []
    for item in commands:
        if found and found[-1].ends == "\n" and item and item[0].startswith("-") and found[-1] and serves(found[-1]):
            found[-1].extend(item)
            found[-1].findings += item.findings
            found[-1].ends = item.ends
        else:
            found.append(item)
    return found


def _cut(words: Sequence[str]) -> Finding:
    """Only the program is named: its arguments may hold a secret. There may be none, behind a pipe into nothing but a redirection."""
    shown = show(visible(words[0]) if words else "|", 40) + (" …" if len(words) > 1 else "")
    return finding("cut-off", shown, f"`{shown}` is no part of the command, and is left out")


def _exports(words: Sequence[str]) -> dict[str, str]:
    """The assignments of a command that consists of nothing else."""
    parts = [assignment(word) for word in (words[1:] if words[:1] == ["export"] else words)]
    return dict(item for item in parts if item is not None) if parts and all(parts) else {}


def serves(words: Sequence[str]) -> bool:
    """Whether a command starts vLLM's server, or our own entrypoint, as far as its words tell."""
    for at, word in enumerate(words):
        if ours.length(words, at):
            return True
        name = word.rpartition("/")[2]
        if (name == "vllm" and words[at + 1 : at + 2] in (["serve"],)) or word.startswith("vllm.entrypoints."):
            return True
        if name in _ENGINES and words[at + 1 : at + 2] in (["run"], ["container"]) and any("vllm" in item for item in words):
            return True
        if name in _SHELLS and any("vllm" in item or ours.length(item.split() or [""]) for item in words[at + 1 :]):
            return True
    return False


# --- programs in front -------------------------------------------------------------------------------------------------------


def _unwrap(tokens: list[str], env: Mapping[str, str], done: Pasted) -> None:
    """Take what stands in front of `vllm serve` off, layer by layer."""
    at = 0
    while at < len(tokens):
        assigned = assignment(tokens[at])
        if assigned is not None:
            done.env[assigned[0]] = assigned[1]
            at += 1
            continue
        name = tokens[at].rpartition("/")[2]
        if ours.length(tokens, at):
            _enter(tokens[at + ours.length(tokens, at) :], env, done)
            return
        if name == ours.PROGRAM:
            message = f"`{ours.PROGRAM}` starts vLLM only as `{ours.PROGRAM} {ours.COMMAND}`"
            done.findings.append(finding("not-vllm-serve", show(tokens[at]), message, "check the command that it prints"))
            return
        if name in _WRAPPERS:
            at = _past_options(tokens, at + 1, *_WRAPPERS[name])
        elif name in _RUNNERS and tokens[at + 1 : at + 2] == [_RUNNERS[name]]:
            at = _past_options(tokens, at + 2, ("--with", "--python", "--project", "--directory", "-p"), 0)
        elif name == "conda" and tokens[at + 1 : at + 2] == ["run"]:
            at = _past_options(tokens, at + 2, ("-n", "-p", "--name", "--prefix", "--cwd"), 0)
        elif name in _SHELLS:
            option = next(
                (index for index, item in enumerate(tokens[at + 1 :], at + 1) if item.startswith("-") and not item.startswith("--") and "c" in item), None
            )
            if option is None or option + 1 >= len(tokens):
                shown = show(tokens[at])
                done.findings.append(finding("not-vllm-serve", shown, f"{shown} runs a script that is not here", "paste what the script starts"))
                return
            _from_script(tokens[option + 1], {**env, **done.env}, done)
            return
        elif name in _ENGINES and at + 1 < len(tokens):
            _engine(tokens[at + 1 :], env, done)
            return
        else:
            break
    done.tokens = tokens[at:]


def _enter(tokens: list[str], env: Mapping[str, str], done: Pasted) -> None:
    """Our own entrypoint: what it is told, and the variables that it reads."""
    done.entry, done.tokens, told = ours.read(tokens)
    done.findings += told
    if done.laid or not done.contained:
        done.env = {**env, **done.env}
        done.findings = [item for item in done.findings if not (done.laid and env and item.subject == _DOCKERS_FILE)]
    done.vllm = done.entry.vllm or done.env.get(versions.VARIABLE, "").strip() or done.vllm


def _past_options(tokens: list[str], at: int, with_value: tuple[str, ...], arguments: int) -> int:
    """The place behind the options that begin at `at`, and behind so many arguments."""
    while at < len(tokens) and tokens[at].startswith("-") and tokens[at] != "-":
        if tokens[at] == "--":
            at += 1
            break
        at += 2 if tokens[at] in with_value else 1
    return at + arguments


def _engine(tokens: list[str], env: Mapping[str, str], done: Pasted) -> None:
    if tokens[0] == "container":
        tokens = tokens[1:]
    done.contained = True
    if tokens[:1] == ["exec"]:
        behind, _ = _docker_options(tokens[1:], env, done)
        _unwrap(behind[1:], env, done)
        return
    if tokens[:1] not in (["run"], ["create"]):
        done.findings.append(finding("not-vllm-serve", "docker", f"`docker {show(tokens[0])}` starts no container: only `docker run` is translated"))
        return
    rest, entrypoint = _docker_options(tokens[1:], env, done)
    if not rest:
        done.findings.append(finding("not-vllm-serve", "docker run", "docker run names no image", "paste the whole command"))
        return
    _of_image(rest[0], [entrypoint] if entrypoint else None, rest[1:], env, done)


def _docker_options(tokens: list[str], env: Mapping[str, str], done: Pasted) -> tuple[list[str], str]:
    """Read docker's own options; what is left begins with the image (or, of exec, with the container)."""
    entrypoint = ""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token == "--":
            break
        if not token.startswith("-") or token == "-":
            at -= 1
            break
        name, sign, value = token.partition("=")
        if not token.startswith("--") and len(token) > 2:
            cluster = token[1:] if not sign else name[1:]
            if not sign and _DOCKER_SHORT_SWITCHES.issuperset(cluster):
                continue
            letter = next((index for index, char in enumerate(cluster) if char not in _DOCKER_SHORT_SWITCHES), len(cluster) - 1)
            name, value = "-" + cluster[letter], token[1:][letter + 1 :].removeprefix("=")
            sign = "=" if value else ""
        if name in _DOCKER_SWITCHES:
            continue
        if not sign:
            if at == len(tokens):
                break
            value = tokens[at]
            at += 1
        if name in ("-e", "--env"):
            _docker_variable(value, env, done)
        elif name == _DOCKERS_FILE:
            done.laid = True
            file = show(_without_passwords(value, done.secrets))
            done.findings.append(
                finding("unresolved-value", name, f"docker's {name} {file} is not read", f"give it as --env-file {file} --env-file-format docker")
            )
        elif name == "--entrypoint":
            entrypoint = value
    return tokens[at:], entrypoint


def _without_passwords(text: str, secrets: Secrets | None) -> str:
    """A path or an address as a message may show it."""
    from translator.catalog import shipped
    from translator.secrets import secrets_of

    return (secrets or secrets_of(shipped())).masked_urls(text)


def _docker_variable(text: str, env: Mapping[str, str], done: Pasted) -> None:
    name, sign, value = text.partition("=")
    done.names.add(name)
    if sign:
        done.env[name] = value
    elif name in env:
        done.env[name] = env[name]
    else:
        done.findings.append(
            finding(
                "unresolved-value",
                name,
                f"{show(name)} is taken from docker's own environment: its value is not known here",
                f"give it with --env-file, or as -e {show(name)}=VALUE",
            )
        )


# --- images ----------------------------------------------------------------------------------------------------------------------


def _of_image(image: str, command: list[str] | None, args: list[str], env: Mapping[str, str], done: Pasted) -> None:
    """The command of a container: its own, or the image's with its arguments."""
    done.contained = True
    tag = version_of(image)
    if tag is not None:
        done.vllm = tag
        shown = show(visible(image))
        done.findings.append(finding("image-version", shown, f"{shown} holds vLLM {tag}"))
    words = [*(command or []), *args]
    if (
        not serves(words)
        and not _is_vllms(image, command)
        and done.reads(done.telling if done.telling is not None else done.names.union(done.env, env if done.laid else ()))
    ):
        _enter(["--", *_behind(words)], env, done)
        done.entry = ours.Entry()
        return
    if command:
        _unwrap(words, env, done)
        return
    if args and (serves(args) or args[0] in ("vllm", "serve") or args[0].startswith("python")):
        _unwrap(args, env, done)
        return
    numbers = versions.parse(tag) if tag else None
    module = numbers is not None and numbers < (0, 11, 0) and not (args and not args[0].startswith("-"))
    done.tokens = [*_MODULE, *args] if module else ["vllm", "serve", *args]


def _is_vllms(image: str, command: list[str] | None) -> bool:
    """Whether it is known what the container starts: vLLM itself, by vLLM's own image or by name, or one of our commands."""
    if command:
        return command[0].rpartition("/")[2] in ("vllm", ours.PROGRAM)
    return image.rpartition("/")[2].startswith(_VLLMS_IMAGES)


def _behind(words: list[str]) -> list[str]:
    """The tokens that such a container adds: those behind a `--`, or all when they are options."""
    if "--" in words:
        return words[words.index("--") + 1 :]
    return words if words and words[0].startswith("-") else []


def version_of(image: str) -> str | None:
    """The vLLM that an image's tag names: of `vllm/vllm-openai:v0.11.2`, "0.11.2".

    >>> version_of("vllm/vllm-openai:v0.11.2-x86_64"), version_of("vllm/vllm-openai:latest"), version_of("runpod/worker-v1-vllm:v2.25.0")
    ('0.11.2', None, None)
    """
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    if not name.startswith("vllm") or not tag:
        return None
    numbers = versions.parse(tag)
    return ".".join(str(number) for number in numbers) if numbers is not None and tag.lstrip("v")[:1].isdecimal() else None


# --- YAML and JSON -----------------------------------------------------------------------------------------------------------------


def _json_list(text: str) -> list[str] | None:
    from translator import jsontext

    try:
        value = jsontext.loads(text)
    except jsontext.JsonError:
        return None
    return [str(item) for item in value] if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


_YAML_KEYS = ("apiVersion:", "kind:", "containers:", "args:", "command:", "services:", "image:", "env:", "environment:", "spec:")


# What follows the first bracket of a JSON object, and of a list of them.
_INSIDE = {"{": '"', "[": "{"}


def _may_be_yaml(text: str) -> bool:
    """Whether a text is a manifest, or a part of one, as far as its beginnings tell; JSON is a part of YAML."""
    start = text.lstrip()[:1]
    if start in ("{", "[") and text.lstrip()[1:].lstrip()[:1] == _INSIDE[start]:
        return True
    lines = [line.strip() for line in text.split("\n") if line.strip() and not line.strip().startswith("#")]
    return any(line.removeprefix("- ").lstrip().startswith(_YAML_KEYS) for line in lines) or (bool(lines) and all(line.startswith("- ") for line in lines))


def _from_yaml(text: str, env: Mapping[str, str], secrets: Secrets | None, reads: Reads) -> Pasted | None:
    """The one container of a YAML text that runs vLLM; None when it is no YAML with a container in it."""
    from translator.manifest import YamlError, containers

    try:
        found = containers(text, env)
    except YamlError as error:
        done = Pasted(secrets)
        done.findings.append(finding("bad-manifest", "YAML", f"this is not YAML: {one_line(str(error))}", ""))
        return done
    if not found:
        return None
    running = [item for item in found if runs_vllm(item) or reads(item.telling)] or found[:1]
    done = of_container(running[0], env, secrets, reads)
    if len(running) > 1:
        names = ", ".join(item.name for item in running[1:])
        done.findings.append(finding("cut-off", running[0].name, f"only {running[0].name} is translated, not {show(names)}"))
    return done


def runs_vllm(container: Container) -> bool:
    """Whether a container looks as if it ran vLLM."""
    words = [*(container.command or []), *container.args]
    return "vllm" in container.image or serves(words) or any("vllm" in word for word in words)


def of_container(container: Container, env: Mapping[str, str] | None = None, secrets: Secrets | None = None, reads: Reads = ours.nobody) -> Pasted:
    """A container of a manifest, as a command; the arguments are those of `from_text`."""
    done = Pasted(secrets, reads)
    done.env.update(container.env)
    done.names.update(container.lines)
    done.telling = container.telling
    done.findings += container.findings
    if not has_errors(item for item in container.findings if item.code != "shell-variable"):
        _of_image(container.image, container.command, container.args, {**(env or {}), **container.env}, done)
    return _settled(done)
