"""The config.json of a model, for --model-config: a file, a folder that holds it, or a model's
folder in the hub's cache. Nothing is downloaded, and no code of the model is run.
"""

from __future__ import annotations

import os

from translator.core.settings import ModelConfig
from translator.core.text.json_text import loads
from translator.formats import files

_NAME = "config.json"
_HUB = "models--"  # the hub's cache: models--ORG--NAME/snapshots/REVISION/config.json
_LONGEST = 1 << 20


def read_model_config(path: str) -> ModelConfig:
    """Return what a model's config.json says, or what is wrong with it."""
    hub = next((part for part in path.split(os.sep) if part.startswith(_HUB)), "")
    file = path
    if os.path.isdir(path):
        file = os.path.join(path, _NAME)
        if hub and os.path.isdir(os.path.join(path, "snapshots")):
            try:
                main = files.read(os.path.join(path, "refs", "main"), only_regular=True)
            except OSError:
                main = b""
            revision = main.decode(errors="replace").strip()
            if not revision.isalnum():
                return ModelConfig(path, {}, problem="names no revision (`refs/main`)")
            file = os.path.join(path, "snapshots", revision, _NAME)
        root = os.path.realpath(path.partition(hub)[0] + hub if hub else path)
        if os.path.commonpath((root, os.path.realpath(file))) != root:
            return ModelConfig(file, {}, problem="is a link out of its folder")
    try:
        content = loads(files.read(file, longest=_LONGEST, only_regular=True).decode())
        beside = os.listdir(os.path.dirname(file)) if os.path.isdir(path) else None
    except OSError as error:
        return ModelConfig(file, {}, problem=f"cannot be read ({error.strerror or error})")
    except (ValueError, RecursionError):
        return ModelConfig(file, {}, problem="is not JSON")
    if not isinstance(content, dict) or not isinstance(content.get("model_type"), str):
        return ModelConfig(file, {}, problem="is no config.json of a model (no `model_type`)")
    if os.path.exists(os.path.join(os.path.dirname(file), "params.json")):
        return ModelConfig(file, {}, problem="has a params.json beside it, which vLLM may read")
    return ModelConfig(file, content, name=hub.removeprefix(_HUB).replace("--", "/"), beside=beside)
