"""`kubectl run` and `apptainer run`: other programs that start an image.

https://kubernetes.io/docs/reference/kubectl/generated/kubectl_run/
https://apptainer.org/docs/user/main/cli/apptainer_run.html
"""

from __future__ import annotations

from translator.text.placed import cut, joined, partition
from translator.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_KUBECTL = ("kubectl", "oc")
_APPTAINER = ("apptainer", "singularity")
# The options of apptainer with a value; those of others have none.
_WITH_VALUE = frozenset(
    ("-B", "--bind", "--mount", "--env", "--env-file", "-H", "--home", "--pwd", "--cwd", "-o")
    + ("--overlay", "-S", "--scratch", "-W", "--workdir", "--app", "--hostname", "--network")
)
_ENDS = (".sif", ".simg", ".img")


class Run(Record):
    """What is started.

    Attributes:
        image: the image, as docker names it.
        command: what replaces its entrypoint, or None.
        args: the arguments behind it.
        env: the variables that are set for it, as `NAME=value`.
    """

    image: str
    command: list[str] | None = None
    args: list[str] = []
    env: list[str] = []


def image_run(tokens: Sequence[str]) -> Run | None:
    """Return the image that a command starts; None for any other command."""
    program = tokens[0].rpartition("/")[2] if tokens else ""
    if program in _KUBECTL:
        return _kubectl(list(tokens[1:]))
    if program in _APPTAINER and tokens[1:2] == ["run"]:
        return _apptainer(list(tokens[2:]))
    return None


def _kubectl(tokens: list[str]) -> Run | None:
    at = tokens.index("--") if "--" in tokens else len(tokens)
    behind = tokens[at + 1 :]
    pairs = [partition(token, "=") for token in tokens[:at]]
    values = {
        str(name): value if sign else "".join(tokens[index + 1 : index + 2])
        for index, (name, sign, value) in enumerate(pairs)
    }
    image = values.get("--image")
    if "run" not in tokens[:at] or not image:
        return None
    is_command = "--command" in values and values["--command"] != "false"
    env = [value for name, sign, value in pairs if name == "--env" and sign]
    return Run(image, behind if is_command else None, [] if is_command else behind, env)


def _apptainer(tokens: list[str]) -> Run | None:
    env: list[str] = []
    at = 0
    while at < len(tokens) and tokens[at].startswith("-"):
        name, sign, value = partition(tokens[at], "=")
        at += 1
        if not sign and name in _WITH_VALUE:
            value = "".join(tokens[at : at + 1])
            at += 1
        env += [value] if name == "--env" and "=" in value else []
    return Run(_image(tokens[at]), None, tokens[at + 1 :], env) if at < len(tokens) else None


def _image(written: str) -> str:
    """Return the name of an image: `NAME_TAG.sif` is what apptainer calls the file of one."""
    if "://" in written:
        return partition(written, "://")[2]
    file = cut(written, written.rfind("/") + 1)
    ending = next((end for end in _ENDS if file.endswith(end)), "")
    if not ending:
        return written
    name = cut(file, 0, -len(ending))
    at = name.rfind("_")
    return joined((cut(name, 0, at), ":", cut(name, at + 1))) if at > 0 else name
