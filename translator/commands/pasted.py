"""What people paste, taken apart into tokens and variables."""

from __future__ import annotations

from translator.commands import translate_exec as ours
from translator.commands.command import Pasted
from translator.commands.docker_run import _ENGINES
from translator.commands.unwrap import (
    _RUNNERS,
    _SHELLS,
    _SHELLS_SIGNS,
    _WRAPPERS,
    _from_script,
    _of_image,
    _unwrap,
    runs_vllm,
    serves,
)
from translator.findings import finding, has_errors, one_line, show
from translator.text.shell import split, unknowns, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.commands.command import Container
    from translator.commands.translate_exec import Reads
    from translator.secrets.secrets import Secrets


def from_text(
    text: str,
    env: Mapping[str, str] | None = None,
    secrets: Secrets | None = None,
    reads: Reads = ours.nobody,
) -> Pasted:
    """Take apart a text: a shell command, a JSON list as Dockerfiles have it, or YAML with a
    container in it.

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


def from_tokens(
    tokens: Sequence[str],
    env: Mapping[str, str] | None = None,
    secrets: Secrets | None = None,
    reads: Reads = ours.nobody,
) -> Pasted:
    """Take apart a command that is already split into tokens.

    Args:
        tokens: the command.
        env: the variables that a script inside of it (`sh -c …`) may refer to.
        secrets, reads: as of `Pasted`.
    """
    done = Pasted(secrets, reads)
    _unwrap(list(tokens), env or {}, done)
    return _settled(done)


def from_behind(
    tokens: Sequence[str],
    env: Mapping[str, str] | None = None,
    secrets: Secrets | None = None,
    reads: Reads = ours.nobody,
) -> Pasted:
    """Take apart what stands behind `--`: tokens, or a whole command line as one text in quotes.
    The arguments are those of `from_tokens`.
    """
    if len(tokens) == 1 and _is_command_line(tokens[0]):
        return from_text(tokens[0], env, secrets, reads)
    return from_tokens(tokens, env, secrets, reads)


def _is_command_line(text: str) -> bool:
    """Whether one token is a command line: it begins with an option or a program, or serves, or is
    what `from_text` takes besides. A path may hold blanks.
    """
    words = text.split()
    if text.strip().startswith("[") and _json_list(text.strip()) is not None:
        return True
    if len(words) < 2:
        return False
    if any(word.startswith("-") for word in words) or not _SHELLS_SIGNS.isdisjoint(
        text
    ):  # another program's, which is told, and never taken for a model
        return True
    first = words[1] if words[0] == "$" else words[0]
    return (
        _is_program(first)
        or _may_be_yaml(text)
        or any(serves(item) for item in split(text) if item)
    )


def _is_program(word: str) -> bool:
    """Whether a word names a program that is known here."""
    name = word.rpartition("/")[2]
    return name in (
        "vllm",
        "serve",
        "conda",
        ours.PROGRAM,
        *_WRAPPERS,
        *_RUNNERS,
        *_SHELLS,
        *_ENGINES,
    ) or name.startswith("python")


def _settled(done: Pasted) -> Pasted:
    """Tell of what is not known and matters: on the command line an error; a variable is left out.
    What has been told is not told again.
    """
    told = {item.subject for item in done.findings if item.code == "shell-variable"}
    done.names.update(done.env)
    for whole in unknowns(done.tokens):
        shown = _without_arguments(whole)
        done.unknown[whole] = shown
        if whole.startswith(("$(", "`")):
            done.findings.append(
                finding(
                    "shell-syntax",
                    shown,
                    f"{shown} needs a shell that runs it",
                    "write what it prints",
                )
            )
        elif shown not in told:
            message = f"{shown} is a shell variable, and what it holds is not known"
            done.findings.append(
                finding(
                    "shell-variable",
                    shown,
                    message,
                    f"give it with --env-file, or write its value instead of {shown}",
                )
            )
    done.tokens = [visible(token) for token in done.tokens]
    for name, text in list(done.env.items()):
        if unknowns([text]):
            del done.env[name]
            shown_all = [_without_arguments(item) for item in unknowns([text])]
            if told.issuperset(shown_all):
                done.unknown.update(zip(unknowns([text]), shown_all, strict=True))
                continue
            message = (
                f"{show(name)} refers to {', '.join(shown_all[:3])}, and what that holds is not"
                " known: it is left out"
            )
            done.findings.append(
                finding(
                    "unresolved-value",
                    show(name),
                    message,
                    f"give it with --env-file, or write {show(name)}=VALUE",
                )
            )
    return done


def _without_arguments(whole: str) -> str:
    """`$NAME`, `${NAME…}`, `$(program …)`: what stands behind may be secret."""
    for start, end in (("$(", ")"), ("`", "`"), ("${", "}")):
        if whole.startswith(start):
            inner = whole[len(start) :].removesuffix(end).strip()
            word = inner.split()[0] if inner.split() else ""
            stop = next(
                (
                    at
                    for at, char in enumerate(word)
                    if not (char.isalnum() or char in ("_-./" if start != "${" else "_"))
                ),
                len(word),
            )
            rest = (
                "" if word[:stop] == inner else "…" if start == "${" or stop < len(word) else " …"
            )
            return show(f"{start}{word[:stop]}{rest}{end}", 40)
    return show(whole, 40)


def _json_list(text: str) -> list[str] | None:
    from translator.text import json_text as jsontext
    from translator.text.numbers import JsonError

    try:
        value = jsontext.loads(text)
    except JsonError:
        return None
    return (
        [str(item) for item in value]
        if isinstance(value, list) and all(isinstance(item, str) for item in value)
        else None
    )


_YAML_KEYS = (
    "apiVersion:",
    "kind:",
    "containers:",
    "args:",
    "command:",
    "services:",
    "image:",
    "env:",
    "environment:",
    "spec:",
)


# What follows the first bracket of a JSON object, and of a list of them.
_INSIDE = {"{": '"', "[": "{"}


def _may_be_yaml(text: str) -> bool:
    """Whether a text is a manifest, or a part of one, as far as its beginnings tell; JSON is a part
    of YAML.
    """
    start = text.lstrip()[:1]
    if start in ("{", "[") and text.lstrip()[1:].lstrip()[:1] == _INSIDE[start]:
        return True
    lines = [
        line.strip()
        for line in text.split("\n")
        if line.strip() and not line.strip().startswith("#")
    ]
    return any(line.removeprefix("- ").lstrip().startswith(_YAML_KEYS) for line in lines) or (
        bool(lines) and all(line.startswith("- ") for line in lines)
    )


def _from_yaml(
    text: str, env: Mapping[str, str], secrets: Secrets | None, reads: Reads
) -> Pasted | None:
    """The one container of a YAML text that runs vLLM; None when it is no YAML with a container in
    it.
    """
    from translator.commands.kubernetes import containers
    from translator.text.yaml_nodes import YamlError

    try:
        found = containers(text, env)
    except YamlError as error:
        done = Pasted(secrets)
        done.findings.append(
            finding("bad-manifest", "YAML", f"this is not YAML: {one_line(str(error))}", "")
        )
        return done
    if not found:
        return None
    running = [item for item in found if runs_vllm(item) or reads(item.telling)] or found[:1]
    done = of_container(running[0], env, secrets, reads)
    if len(running) > 1:
        names = ", ".join(item.name for item in running[1:])
        done.findings.append(
            finding(
                "cut-off",
                running[0].name,
                f"only {running[0].name} is translated, not {show(names)}",
            )
        )
    return done


def of_container(
    container: Container,
    env: Mapping[str, str] | None = None,
    secrets: Secrets | None = None,
    reads: Reads = ours.nobody,
) -> Pasted:
    """A container of a manifest, as a command; the arguments are those of `from_text`."""
    done = Pasted(secrets, reads)
    done.env.update(container.env)
    done.names.update(container.lines)
    done.telling = container.telling
    done.findings += container.findings
    if not has_errors(item for item in container.findings if item.code != "shell-variable"):
        _of_image(
            container.image,
            container.command,
            container.args,
            {**(env or {}), **container.env},
            done,
        )
    return _settled(done)
