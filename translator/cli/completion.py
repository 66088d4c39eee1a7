"""Print the completion script of a shell: commands, options, versions, platforms, names."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable

from translator.cli.process import emit
from translator.core.findings import UsageError, codes
from translator.core.tables.catalog import shipped, variable_of
from translator.options import Option

USAGE = "translate completion SHELL"
EXAMPLE = """\
  translate completion bash > ~/.local/share/bash-completion/completions/translate
  translate completion zsh > "${fpath[1]}/_translate"
  translate completion fish > ~/.config/fish/completions/translate.fish"""
OPTIONS = (Option("shell", "SHELL", "bash, zsh or fish", choices=("bash", "zsh", "fish")),)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise UsageError(
            "completion needs argcomplete", hint="run `pip install 'vllm-env-translator[cli]'`"
        ) from None
    emit(shellcode(["translate"], shell=args.shell))
    return 0


def complete(parser: ArgumentParser) -> None:
    """Answer a shell's request for completions and end the process; return if argcomplete is not
    installed.
    """
    try:
        import argcomplete
    except ImportError:
        return

    def offering(names: Iterable[str]) -> Callable[..., list[str]]:
        return lambda prefix, **_: [name for name in names if name.startswith(prefix)]

    tables = shipped()
    flags = [name for name in tables.names() if name.startswith("--")]
    completers = {"names": offering([*tables.names(), *map(variable_of, flags), *codes()])}
    completers.update(dict.fromkeys(("select", "ignore"), offering(codes())))
    versions = ("vllm", "source", "target", "old", "new", "wanted", "origin")
    completers.update(dict.fromkeys(versions, offering(tables.versions())))
    dialects = offering(tables.dialects())
    completers.update(dict.fromkeys(("dialect", "to_dialect"), dialects))
    parsers = [parser]
    while parsers:
        one = parsers.pop()
        if one.prog.endswith(" explain"):  # names that look like options
            for name in [flag for flag in flags if flag not in one._option_string_actions]:
                one.add_argument(name, action="store_true")
        for action in one._actions:
            if action.dest in completers:
                action.completer = completers[action.dest]  # type: ignore[attr-defined]
            if isinstance(action.choices, dict):
                parsers += action.choices.values()
    argcomplete.autocomplete(parser, always_complete_options="long")
