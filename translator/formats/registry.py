"""All formats by name, as offered by `--format` and `--env-file-format`.

To add a format, write its module in this folder, name its function here, and its name in forms.py.
"""

from __future__ import annotations

from collections.abc import Callable

from translator.findings import Finding
from translator.formats import (
    env_files,
    launchers,
    manifests,
    properties,
    shell_lines,
    vllm_config,
)
from translator.formats.forms import (
    CommandLine,
    EnvFile,
    Environment,
    EnvSource,
    form_of,
)

ARGV_WRITERS: dict[str, Callable[[CommandLine], tuple[str, list[Finding]]]] = {
    **shell_lines.START_FORMATS,
    "yaml": vllm_config.write_argv,
    "engine-args": launchers.write_engine_args,
    "helm": manifests.write_helm,
    "kaito": launchers.write_kaito,
    "ray-serve": launchers.write_ray_serve,
}
ENV_WRITERS: dict[str, Callable[[Environment], tuple[str, list[Finding]]]] = {
    "dotenv": env_files.write_dotenv,
    "shell": shell_lines.write_env,
    "docker": env_files.write_docker,
    "k8s": manifests.write_kubernetes,
    "json": shell_lines.write_json_env,
    "properties": properties.write_env,
    "runpod-hub": manifests.write_runpod_hub,
}
ENV_READERS: dict[str, Callable[[EnvSource], EnvFile]] = {
    "dotenv": env_files.read_dotenv,
    "docker": env_files.read_docker,
    "properties": properties.read_env,
}


def write_argv(form: str, line: CommandLine) -> tuple[str, list[Finding]]:
    """Write a command line in one of ARGV_FORMATS."""
    return ARGV_WRITERS[form](line)


def write_env(form: str, environment: Environment) -> tuple[str, list[Finding]]:
    """Write variables in one of ENV_FORMATS.

    Raises:
        FormatError: the dialect has no such file.
    """
    return ENV_WRITERS[form](environment)


def read_env(form: str, source: EnvSource) -> EnvFile:
    """Read a file in one of ENV_FILE_FORMATS; "auto" selects the format by file name.

    Raises:
        FormatError: the dialect has no such file.
        UnicodeDecodeError: the file is not in the encoding of its format.
    """
    return ENV_READERS[form_of(form, source.path)](source)
