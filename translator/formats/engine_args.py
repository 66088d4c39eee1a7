"""The keyword arguments of `LLM(...)` and `AsyncEngineArgs(...)`, as JSON."""

from __future__ import annotations

from translator.argv.engine_args import engine_args
from translator.formats.json_result import dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.formats.forms import CommandLine, Written


def write_argv(line: CommandLine) -> Written:
    """Write the arguments equivalent to a command line."""
    found, findings = engine_args(line.argv, line.catalog)
    return dump(found), findings + line.left_out("engine-args")
