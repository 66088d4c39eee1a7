"""The variables of an image with a model baked in."""

from __future__ import annotations

from translator.dialects.scope import facts_of
from translator.findings import Finding, finding, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.tables.catalog import Tables


def _baked_path(dialect: str, tables: Tables) -> str:
    return str(facts_of(dialect, tables).get("baked_args", ""))


def bake(env: dict[str, str], path: str) -> list[Finding]:
    """Lay the variables of an image with a model baked in over the environment, as RunPod's worker
    does.

    Args:
        env: the environment, which is changed.
        path: of a JSON object of variables; "" or a file that is not there change nothing.

    Returns:
        What to tell; a file, or a variable in it, that cannot be used is a warning, as the worker
        starts without it, too.
    """
    if not path:
        return []
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        return [_not_baked(path, getattr(error, "strerror", None) or "it is not UTF-8")]
    from translator.text import json_text as jsontext
    from translator.text.numbers import JsonError

    try:
        baked = jsontext.loads(text)
    except JsonError as error:
        return [_not_baked(path, f"it is not JSON: {error}")]
    if not isinstance(baked, dict):
        return [_not_baked(path, "it is not a JSON object")]
    findings: list[Finding] = []
    used: list[str] = []
    for name, value in baked.items():
        text = value if isinstance(value, str) else jsontext.dumps(value)
        if not name or "=" in name or not _can_be_set(name):
            message = f"{path}: no variable can be called '{show(name)}': it is left out"
            findings.append(
                finding(
                    "bad-baked-args",
                    show(name),
                    message,
                    "a name is a text without `=`, NUL and halves of characters",
                )
            )
        elif not _can_be_set(text):
            message = (
                f"{path}: the value of {show(name)} holds a NUL or half a character (\\ud800),"
                " which no variable can: it is left out"
            )
            findings.append(finding("bad-baked-args", show(name), message, "build the image again"))
        else:
            used.append(show(name))
            if value is not None and value != "":
                env[name] = text
    env["HF_HUB_OFFLINE"] = env["TRANSFORMERS_OFFLINE"] = "1"
    winning = f": {', '.join(used)} win over the environment" if used else ""
    message = f"{path}: a model is baked into this image{winning}, and the hub is not asked"
    return [*findings, finding("baked-args", path, message)]


def _can_be_set(text: str) -> bool:
    """Whether the system takes a text for a variable's name or value. JSON can write more: halves
    of characters, and NUL.
    """
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def _not_baked(path: str, why: str) -> Finding:
    return finding(
        "bad-baked-args",
        path,
        f"{path} is not used: {why}",
        "build the image again, or remove the file",
    )
