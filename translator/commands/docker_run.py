"""`docker run`: its options, and what an image's name tells."""

from __future__ import annotations

from translator.commands import translate_exec as ours
from translator.findings import finding, show
from translator.tables import versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.commands.command import Pasted
    from translator.secrets.secrets import Secrets


_ENGINES = ("docker", "podman", "nerdctl")


# The options of `docker run` that take no value (docker 27's reference); all others take one.
_DOCKER_SWITCHES = frozenset(
    (
        "-d",
        "--detach",
        "-i",
        "--interactive",
        "-t",
        "--tty",
        "-P",
        "--publish-all",
        "-q",
        "--quiet",
        "--rm",
        "--init",
        "--privileged",
        "--read-only",
        "--no-healthcheck",
        "--oom-kill-disable",
        "--sig-proxy",
        "--disable-content-trust",
        "--help",
        "--use-api-socket",
        "--tls-verify",
        "--replace",
        "--no-hosts",
        "--env-host",
        "--http-proxy",
    )
)


_DOCKERS_FILE = "--env-file"


_DOCKER_SHORT_SWITCHES = frozenset("dtiPq")


# How the names of the images begin that vLLM publishes: their entrypoint is vLLM's server. Any
# other may have one of its own.
_VLLMS_IMAGES = ("vllm-openai", "vllm-cpu-release-repo")


def _docker_options(
    tokens: list[str], env: Mapping[str, str], done: Pasted
) -> tuple[list[str], str]:
    """Read docker's own options; what is left begins with the image (or, of exec, with the
    container).
    """
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
            letter = next(
                (index for index, char in enumerate(cluster) if char not in _DOCKER_SHORT_SWITCHES),
                len(cluster) - 1,
            )
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
                finding(
                    "unresolved-value",
                    name,
                    f"docker's {name} {file} is not read",
                    f"give it as --env-file {file} --env-file-format docker",
                )
            )
        elif name == "--entrypoint":
            entrypoint = value
    return tokens[at:], entrypoint


def _without_passwords(text: str, secrets: Secrets | None) -> str:
    """A path or an address as a message may show it."""
    from translator.secrets.secrets import secrets_of
    from translator.tables.catalog import shipped

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


def _is_vllms(image: str, command: list[str] | None) -> bool:
    """Whether it is known what the container starts: vLLM itself, by vLLM's own image or by name,
    or one of our commands.
    """
    if command:
        return command[0].rpartition("/")[2] in ("vllm", ours.PROGRAM)
    return image.rpartition("/")[2].startswith(_VLLMS_IMAGES)


def version_of(image: str) -> str | None:
    """The vLLM that an image's tag names: of `vllm/vllm-openai:v0.11.2`, "0.11.2".

    >>> version_of("vllm/vllm-openai:v0.11.2-x86_64"), version_of("vllm/vllm-openai:latest"),
    version_of("runpod/worker-v1-vllm:v2.25.0") ('0.11.2', None, None)
    """
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    if not name.startswith("vllm") or not tag:
        return None
    version = versions.parse(tag)
    return str(version) if version is not None else None
