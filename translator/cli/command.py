"""The commands, and how one runs when its options have been read."""

from __future__ import annotations

from translator.api.exec_options import dialect_of
from translator.cli.exits import UsageError
from translator.cli.options import tables_of
from translator.naming.dialect import find_dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# name → what it does; its module has the same name
COMMANDS = {
    "env-to-args": "variables to a `vllm serve` command line",
    "args-to-env": "a `vllm serve` command line to variables",
    "exec": "translate the environment and start vLLM (container entrypoint)",
    "check": "report what is wrong, for one vLLM version or several",
    "explain": "describe a flag, a variable or a finding",
    "convert": "rewrite variables or a command line for another vLLM version",
    "diff": "what changed from one vLLM version to another",
    "tables": "show what each vLLM version accepts; maintain the tables",
    "completion": "print the completion script of a shell",
}


def module_of(name: str) -> ModuleType:
    """Return the module of a command, with its OPTIONS, EXAMPLE and `run`; of one that has
    commands of its own, with COMMANDS instead of OPTIONS.
    """
    module: ModuleType = __import__(f"translator.cli.{name.replace('-', '_')}", fromlist=["run"])
    return module


def run_command(command: ModuleType, args: Any) -> int:
    """Run a command and return its exit status.

    Args:
        command: its module.
        args: its options, as attributes.
    """
    if hasattr(command, "prepare"):
        command.prepare(args)
    if hasattr(args, "prefix"):
        _settle_target(args)
    status: int = command.run(args)
    return status


def _settle_target(args: Any) -> None:
    """Set `args.dialect` to what --dialect and --prefix specify together.

    Raises:
        UsageError: both are given, and the dialect has its own prefix; or --ask and --vllm are.
    """
    if args.ask and args.vllm:
        raise UsageError("--ask with --vllm: give one of the two")
    named, prefix = args.dialect, args.prefix
    args.dialect = dialect_of(args)
    if named is None or prefix is None:
        return
    dialect = find_dialect(named, tables_of(args))
    if dialect is not None and (":" in named or not dialect.any_prefix):
        raise UsageError(
            f"--prefix {prefix} with --dialect {named}: this dialect has its own prefix; give one"
            " of the two"
        )
