"""One function of bytes a surface; it returns, or raises because a law is broken."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.targets import (
    command_line,
    env_files,
    environment,
    json_text,
    manifests,
    tables_files,
    values,
    yaml_files,
)

TARGETS: dict[str, Callable[[bytes], None]] = {
    "json": json_text.run,
    "values": values.run,
    "command-line": command_line.run,
    "environment": environment.run,
    "yaml": yaml_files.run,
    "env-files": env_files.run,
    "manifests": manifests.run,
    "tables": tables_files.run,
}
