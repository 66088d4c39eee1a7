"""The programs in front of `vllm serve`, taken off layer by layer."""

from __future__ import annotations

from translator.commands import translate_exec as ours
from translator.commands.docker_run import (
    _DOCKERS_FILE,
    _ENGINES,
    _docker_options,
    _is_vllms,
    version_of,
)
from translator.findings import Finding, finding, show
from translator.tables import versions
from translator.text.shell import Words, assignment, split, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.commands.command import Container, Pasted


# Programs in front of another: the options of theirs that take a value, and how many arguments
# stand before the other's name.
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


_SHELLS_SIGNS = frozenset(";|&$`\n")


_MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]


def _from_script(text: str, env: Mapping[str, str], done: Pasted) -> Pasted:
    commands = _joined(split(text, env))
    chosen = next((item for item in commands if serves(item)), None)
    if chosen is None:
        others = [item for item in commands if item and not _exports(item)]
        chosen = others[0] if others else Words()
        if len(others) > 1 and not chosen[0].startswith("-"):
            done.findings.append(
                finding(
                    "not-vllm-serve",
                    show(chosen[0]),
                    "none of the commands is `vllm serve`, or starts it",
                    "paste the one that does",
                )
            )
            return done
    for item in commands:
        if item is chosen:
            break
        if item[:1] == ["export"] and _exports(item):
            done.env.update(_exports(item))
        elif _exports(item):
            shown = " ".join(f"{name}=…" for name in _exports(item))
            message = f"`{shown}` sets a variable of the shell, which vLLM does not see"
            done.findings.append(
                finding("cut-off", shown, message, "write export in front of it if it should")
            )
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
    """Lines that begin with an option belong to the command before: the backslash got lost on the
    way.
    """
    found: list[Words] = []
    for item in commands:
        if (
            found
            and found[-1].ends == "\n"
            and item
            and item[0].startswith("-")
            and found[-1]
            and serves(found[-1])
        ):
            found[-1].extend(item)
            found[-1].findings += item.findings
            found[-1].ends = item.ends
        else:
            found.append(item)
    return found


def _cut(words: Sequence[str]) -> Finding:
    """Only the program is named: its arguments may hold a secret. There may be none, behind a pipe
    into nothing but a redirection.
    """
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
        if (name == "vllm" and words[at + 1 : at + 2] in (["serve"],)) or word.startswith(
            "vllm.entrypoints."
        ):
            return True
        if (
            name in _ENGINES
            and words[at + 1 : at + 2] in (["run"], ["container"])
            and any("vllm" in item for item in words)
        ):
            return True
        if name in _SHELLS and any(
            "vllm" in item or ours.length(item.split() or [""]) for item in words[at + 1 :]
        ):
            return True
    return False


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
            done.findings.append(
                finding(
                    "not-vllm-serve", show(tokens[at]), message, "check the command that it prints"
                )
            )
            return
        if name in _WRAPPERS:
            at = _past_options(tokens, at + 1, *_WRAPPERS[name])
        elif name in _RUNNERS and tokens[at + 1 : at + 2] == [_RUNNERS[name]]:
            at = _past_options(
                tokens, at + 2, ("--with", "--python", "--project", "--directory", "-p"), 0
            )
        elif name == "conda" and tokens[at + 1 : at + 2] == ["run"]:
            at = _past_options(tokens, at + 2, ("-n", "-p", "--name", "--prefix", "--cwd"), 0)
        elif name in _SHELLS:
            option = next(
                (
                    index
                    for index, item in enumerate(tokens[at + 1 :], at + 1)
                    if item.startswith("-") and not item.startswith("--") and "c" in item
                ),
                None,
            )
            if option is None or option + 1 >= len(tokens):
                shown = show(tokens[at])
                done.findings.append(
                    finding(
                        "not-vllm-serve",
                        shown,
                        f"{shown} runs a script that is not here",
                        "paste what the script starts",
                    )
                )
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
        done.findings = [
            item
            for item in done.findings
            if not (done.laid and env and item.subject == _DOCKERS_FILE)
        ]
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
        done.findings.append(
            finding(
                "not-vllm-serve",
                "docker",
                f"`docker {show(tokens[0])}` starts no container: only `docker run` is translated",
            )
        )
        return
    rest, entrypoint = _docker_options(tokens[1:], env, done)
    if not rest:
        done.findings.append(
            finding(
                "not-vllm-serve",
                "docker run",
                "docker run names no image",
                "paste the whole command",
            )
        )
        return
    _of_image(rest[0], [entrypoint] if entrypoint else None, rest[1:], env, done)


def _of_image(
    image: str, command: list[str] | None, args: list[str], env: Mapping[str, str], done: Pasted
) -> None:
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
        and done.reads(
            done.telling
            if done.telling is not None
            else done.names.union(done.env, env if done.laid else ())
        )
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
    version = versions.parse(tag) if tag else None
    module = (
        version is not None
        and version.minor < (0, 11)
        and not (args and not args[0].startswith("-"))
    )
    done.tokens = [*_MODULE, *args] if module else ["vllm", "serve", *args]


def _behind(words: list[str]) -> list[str]:
    """The tokens that such a container adds: those behind a `--`, or all when they are options."""
    if "--" in words:
        return words[words.index("--") + 1 :]
    return words if words and words[0].startswith("-") else []


def runs_vllm(container: Container) -> bool:
    """Whether a container looks as if it ran vLLM."""
    words = [*(container.command or []), *container.args]
    return "vllm" in container.image or serves(words) or any("vllm" in word for word in words)
