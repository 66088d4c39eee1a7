"""Print the completion script of a shell: commands, options, versions, platforms, names."""

from __future__ import annotations

from translator.cli.exits import UsageError
from translator.cli.streams import emit
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


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
            "completion needs argcomplete", hint="pip install 'vllm-env-translator[cli]'"
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
    from translator.findings.texts import codes
    from translator.tables.catalog import shipped

    def names(prefix: str, **_: object) -> list[str]:
        return [name for name in [*shipped().index(), *codes()] if name.startswith(prefix)]

    def versions(prefix: str, **_: object) -> list[str]:
        return [version for version in shipped().versions() if version.startswith(prefix)]

    def dialects(prefix: str, **_: object) -> list[str]:
        return [name for name in shipped().dialects() if name.startswith(prefix)]

    completers = {
        "names": names,
        "vllm": versions,
        "source": versions,
        "target": versions,
        "dialect": dialects,
        "from_dialect": dialects,
        "to_dialect": dialects,
    }
    parsers = [parser]
    while parsers:
        one = parsers.pop()
        for action in one._actions:
            if action.dest in completers:
                action.completer = completers[action.dest]  # type: ignore[attr-defined]
            if isinstance(action.choices, dict):
                parsers += action.choices.values()
    argcomplete.autocomplete(parser, always_complete_options="long")
