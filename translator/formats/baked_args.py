"""The variables of an image with a built-in model."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.text.quoting import unusable


def bake(env: dict[str, str], path: str) -> tuple[dict[str, str], list[Finding]]:
    """Return an environment overlaid with the variables of a built-in model, as in RunPod's worker.

    Args:
        env: the environment.
        path: the path of a JSON object of variables; "" or a missing file changes nothing.

    Returns:
        The environment and findings. An unusable file or variable is only a warning, because the
        worker starts without it as well.
    """
    if not path:
        return env, []
    from translator.text import files, json_text
    from translator.text.json_text import JsonError

    try:
        text = files.read(path).decode("utf-8")
    except FileNotFoundError:
        return env, []
    except (OSError, UnicodeDecodeError) as error:
        return env, [_unusable(path, getattr(error, "strerror", None) or "it is not UTF-8")]
    try:
        baked = json_text.loads(text)
    except JsonError as error:
        return env, [_unusable(path, f"it is not JSON ({error})")]
    if not isinstance(baked, dict):
        return env, [_unusable(path, "it is not a JSON object")]
    made, findings, used = dict(env), [], []
    for name, value in baked.items():
        text = value if isinstance(value, str) else json_text.dumps(value)
        wrong_name = not name or "=" in name or unusable(name)
        if wrong_name or unusable(text):
            facts = {"file": path, "name" if wrong_name else "variable": name}
            findings.append(finding("bad-baked-args", name, case="entry", **facts))
            continue
        used.append(name)
        if value is not None and value != "":
            made[name] = text
    made["HF_HUB_OFFLINE"] = made["TRANSFORMERS_OFFLINE"] = "1"
    return made, [*findings, finding("baked-args", path, file=path, variables=tuple(used))]


def _unusable(path: str, problem: str) -> Finding:
    return finding("bad-baked-args", path, file=path, problem=problem)
