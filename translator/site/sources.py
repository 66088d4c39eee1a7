"""Where vLLM's own sources are, at the tag of a release."""

from __future__ import annotations

from translator.tables.versions import Version

_TREE = "https://github.com/vllm-project/vllm/blob/v{}/vllm/{}"
_ENGINE = "engine/arg_utils.py"
_VARIABLES = "envs.py"
# The first release with each place of the server's own flags; looked up in the sources of each.
_SERVER = (
    ("0.5.2", "entrypoints/openai/cli_args.py"),
    ("0.29.0", "entrypoints/launchers/cli_args.py"),
    ("0.33.0", "entrypoints/common/cli_args.py"),
)


def source(version: str, *, server: bool = False, variable: bool = False) -> str:
    """Return the address of the file that defines a name of vLLM's.

    Args:
        version: the release.
        server: whether it is a flag of the server, and not of the engine.
        variable: whether it is a variable.
    """
    file = _VARIABLES if variable else _ENGINE
    if server:
        here = Version(version)
        file = [path for first, path in _SERVER if Version(first) <= here][-1]
    return _TREE.format(version, file)
