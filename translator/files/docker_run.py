"""What `docker run` and its like start."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from translator.files.command import Container
from translator.findings import finding
from translator.tables.builds import Image, image_of, is_foreign, named_by_flags
from translator.tables.catalog import shipped
from translator.text.placed import beginning, cut, partition, stamped
from translator.text.references import has_hole

ENGINES = ("docker", "podman", "nerdctl")
ENV_FILE = "--env-file"


# The options of `docker run` without a value (docker 27's reference); all others take one.
_SWITCHES = frozenset(
    ("--detach", "--interactive", "--tty", "--publish-all", "--quiet", "--rm", "--init")
    + ("--privileged", "--read-only", "--no-healthcheck", "--oom-kill-disable", "--sig-proxy")
    + ("--disable-content-trust", "--help", "--use-api-socket", "--tls-verify", "--replace")
    + ("--no-hosts", "--env-host", "--http-proxy")
)
# Short options, such as -it or -eA=1: switches, and at last one with a value.
_SHORT = re.compile(r"-(?!-)[dtiPq]*(.?)=?", re.DOTALL)
# Those that stand in front of an image and not behind it: a value that is not known in front of
# them is no image, but more options.
_BEFORE_IMAGE = frozenset(
    ("-d", "-it", "--rm", "--gpus", "--device", "--runtime", "--ipc", "--shm-size", "--ulimit")
    + ("--net", "--network", "-p", "--publish", "-v", "--volume", "--mount", "-w", "--workdir")
    + ("-e", "--env", "--env-file", "--name", "--entrypoint", "--restart", "--privileged")
)


def docker_container(tokens: list[str], env: Mapping[str, str]) -> Container | None:
    """Return what `docker run` or `create` starts; None without an image. For `exec`, the container
    that runs is taken for the image.

    Args:
        tokens: what follows `docker run`.
        env: docker's environment, as far as it is known.
    """
    pairs, rest = _split(tokens)
    if not rest:
        return None
    image, *args = rest
    command: list[str] | None = None
    entrypoint = [text for name, text in pairs if name == "--entrypoint"]
    if entrypoint:  # an empty one leaves out the image's
        command, args = ([entrypoint[-1]], args) if entrypoint[-1] else (args, [])
    made = Container(image=image, command=command, args=args)
    for option, value in pairs:
        name, sign, text = partition(value, "=")
        if option == ENV_FILE:
            facts = {"key": f"{ENV_FILE} {value}", "file": value}
            subject = stamped(ENV_FILE, value)
            made.findings.append(finding("unresolved-value", subject, case="file", **facts))
        elif option in ("-e", "--env"):
            made.places[str(name)] = beginning(name)
            if sign or name in env:
                made.env[str(name)] = text if sign else env[name]
                continue
            facts = {"source": "docker's own environment", "write": f"-e {name}=VALUE"}
            made.findings.append(finding("unresolved-value", name, variable=name, **facts))
    return made


def _split(tokens: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the options with their values, and the tokens after them."""
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "--":
            return pairs, tokens[at + 1 :]
        if has_hole(token) and partition("".join(tokens[at + 1 : at + 2]), "=")[0] in _BEFORE_IMAGE:
            at += 1
            continue
        if not token.startswith("-") or token == "-":
            break
        at += 1
        name, sign, value = partition(token, "=")
        if found := _SHORT.match(token):
            name, value = f"-{found[1]}", cut(token, found.end())
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


def may_start_vllm(tokens: Sequence[str]) -> bool:
    """Return whether `docker run` with these tokens may start vLLM: by the image, or by what the
    container gets. A name that mentions vLLM tells nothing of an image that gets no arguments.
    """
    pairs, rest = _split([token for token in tokens if token != "run"])
    if not rest or has_hole(rest[0]):
        return True
    image, *words = rest
    entrypoint = [text for name, text in pairs if name == "--entrypoint"]
    # Behind flags, a word that mentions vLLM is a value, such as the name of another image.
    programs = entrypoint + (words if words and words[0][:1] != "-" else [])
    words += entrypoint
    tables = shipped()
    if image_of(image, tables).runs or any(map(_mentions_vllm, programs)):
        return True
    if "vllm" in image:
        return bool(words) and not is_foreign(words, tables)
    return named_by_flags(words, tables)


def _mentions_vllm(word: str) -> bool:
    """Return whether a word may be vLLM's program or a script that starts it, not its address."""
    return "vllm" in word and ("://" not in word or " " in word)


def starts_vllm(image: Image, command: list[str] | None) -> bool:
    """Return whether it is known what the container starts: vLLM, by its image or by name, or one
    of our commands.
    """
    if command:
        return command[0].rpartition("/")[2] in ("vllm", "translate")
    return image.runs == "server"
