"""All formats by name, as offered by `--format` and `--env-file-format`.

To add a format, write its functions in this folder, and name it here. A module is loaded when one
of its formats is used: an entrypoint reads those of forms.py.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from translator.core.tables.catalog import Tables
    from translator.formats.forms import CommandLine, Environment, Given, Written

_LINES = ("shell", "multiline", "lines", "nul", "json", "yaml", "engine-args")
# Whole starts of vLLM's image.
STARTS = ("k8s", "compose", "docker", "quadlet")
ARGV_FORMATS = (*_LINES, *STARTS)
WITHOUT_VARIABLES = ("shell", "multiline", "yaml", "engine-args")  # and written for people
ENV_FORMATS = ("dotenv", "shell", "docker", "k8s", "json", "properties", "runpod-hub")
COMMENTED = ("dotenv", "shell", "docker")  # those of them that --comments is for


def write_argv(form: str, line: CommandLine) -> Written:
    """Write a command line in one of ARGV_FORMATS."""
    from translator.formats.forms import ARGV_WRITERS

    if form in ARGV_WRITERS:
        return ARGV_WRITERS[form](line)
    if form in STARTS:
        from translator.formats import containers

        return containers.write_start(form, line)
    from translator.formats import manifests, vllm_config

    writers: dict[str, Callable[[CommandLine], Written]] = {
        "yaml": vllm_config.write_argv,
        "engine-args": manifests.write_engine_args,
    }
    return writers[form](line)


def write_env(form: str, environment: Environment) -> Written:
    """Write variables in one of ENV_FORMATS.

    Raises:
        UsageError: the dialect has no such file.
    """
    from translator.formats import env_files, forms

    writers: dict[str, Callable[[Environment], Written]] = {
        "dotenv": env_files.write_dotenv,
        "shell": forms.write_exports,
        "docker": env_files.write_docker,
        "json": forms.write_json,
    }
    if form not in writers:
        from translator.formats import manifests, properties

        writers |= {
            "properties": properties.write_env,
            "k8s": manifests.write_kubernetes,
            "runpod-hub": manifests.write_runpod_hub,
        }
    return writers[form](environment)


def form_of(form: str, path: str) -> str:
    """Return the format of a file of variables; "auto" selects it by the file's name."""
    if form != "auto":
        return form
    return "properties" if path.endswith(".properties") else "dotenv"


def read_env(
    form: str,
    content: bytes,
    path: str,
    *,
    dialect: str = "runpod",
    tables: Tables | None = None,
    outside: Mapping[str, str] | None = None,
    before: Mapping[str, str] | None = None,
) -> Given:
    """Read a file of variables.

    Args:
        form: one of ENV_FILE_FORMATS (options.py); "auto" selects it by the file's name.
        outside: the environment, from which docker's format takes the value of a bare name.
        before: the variables from earlier files, for `${NAME}`.

    Raises:
        UsageError: the dialect has no such file.
        UnicodeDecodeError: the file is not UTF-8.
    """
    form = form_of(form, path)
    if form == "properties":
        from translator.formats import properties

        return properties.read(content, path, properties.keys_of(dialect, tables))
    from translator.formats import env_files

    text = content.decode("utf-8-sig")
    if form == "docker":
        return env_files.read_docker(text, path, outside or {})
    return env_files.read_dotenv(text, path, before or {}, tables)
