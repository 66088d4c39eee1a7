"""Print the completion script of a shell: commands, options, versions, platforms, names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from translator.api.options import Option
from translator.cli.options import COMMANDS, module_of
from translator.cli.process import UsageError, emit
from translator.findings import codes
from translator.tables.catalog import shipped

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from translator.api.options import Options

USAGE = "translate completion SHELL"
EXAMPLE = """\
  translate completion bash > ~/.local/share/bash-completion/completions/translate
  translate completion zsh > "${fpath[1]}/_translate"
  translate completion fish > ~/.config/fish/completions/translate.fish"""
OPTIONS = (Option("shell", "SHELL", "bash, zsh or fish", choices=("bash", "zsh", "fish")),)


def run(args: Options) -> int:
    """Run the command and return its exit status."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise UsageError(
            "completion needs argcomplete", hint="run `pip install 'vllm-env-translator[cli]'`"
        ) from None
    emit(shellcode(["translate"], shell=args.shell))
    return 0


def complete() -> None:
    """Answer a shell's request for completions and end the process; return if argcomplete is not
    installed.
    """
    try:
        import argcomplete
    except ImportError:
        return
    from argparse import ArgumentParser

    parser = ArgumentParser("translate")
    adding = parser.add_subparsers()
    given = os.environ["COMP_LINE"].split()[1:2]
    for name in COMMANDS:
        made = adding.add_parser(name)
        if name in given:
            _fill(made, module_of(name))
    argcomplete.autocomplete(parser, always_complete_options="long")


def _fill(parser: ArgumentParser, command: Any) -> None:
    """Add the options of a command, or its commands."""
    if hasattr(command, "SUBCOMMANDS"):
        adding = parser.add_subparsers()
        for name, each in command.SUBCOMMANDS.items():
            _fill(adding.add_parser(name), each)
        return
    tables = shipped()
    offered = {"names": [*tables.index(), *codes()]}
    offered.update(dict.fromkeys(("vllm", "source", "target", "old", "new"), tables.versions()))
    offered.update(dict.fromkeys(("dialect", "to_dialect"), tables.dialects()))
    for option in command.OPTIONS:
        how: dict[str, Any] = {"action": "store_true"} if not option.metavar else {}
        how = {"nargs": "*"} if option.is_argument else how
        action = parser.add_argument(option.name, **how)
        names = option.choices or offered.get(option.dest, ())
        action.completer = _offering(names)  # type: ignore[attr-defined]


def _offering(names: Iterable[str]) -> Callable[..., list[str]]:
    return lambda prefix, **_: [name for name in names if name.startswith(prefix)]
