"""Options of a command, declared once: as data for argparse, and with a reader for commands that
cannot afford argparse, which takes 8 ms to import and 2 ms to set up. And those of `translate
exec`, as our own entrypoint and in a user's manifest.

The reader handles only unambiguous input; for everything else (help, mistakes, abbreviations), the
caller uses argparse.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


# Of files of variables; here, since every start reads the options, and few read a file.
ENV_FILE_FORMATS = ("dotenv", "docker", "properties")


class Option:
    """One option of a command, or its arguments.

    Attributes:
        name: such as "--env-file"; without dashes, of arguments.
        short: such as "-q"; "" for none.
        metavar: the name of the value in help, such as "FILE"; "" for a switch, which has no value.
        help: one line of help.
        choices: the allowed values; () for any.
        default: the value without the option; None of an argument that has to be given.
        repeatable: whether it may be given several times; the value is then a list.
        dest: the attribute of the result, such as "env_file" or "targets".
    """

    __slots__ = ("choices", "default", "dest", "help", "metavar", "name", "repeatable", "short")

    def __init__(
        self,
        name: str,
        metavar: str,
        help: str,
        *,
        choices: Sequence[str] = (),
        default: str | None = None,
        repeatable: bool = False,
        dest: str = "",
        short: str = "",
    ) -> None:
        self.short = short
        self.name, self.metavar, self.help, self.choices = name, metavar, help, choices
        self.repeatable = repeatable
        self.default: str | bool | list[str] | None = default
        if not metavar:
            self.default = False
        elif repeatable:
            self.default = []
        self.dest = dest or name.lstrip("-").replace("-", "_")


class Options:
    """The options of a command line, as attributes; `behind` is the tokens after `--`, or None."""

    def __init__(self, options: Iterable[Option]) -> None:
        for option in options:
            default = option.default
            setattr(self, option.dest, [] if isinstance(default, list) else default)
        self.behind: list[str] | None = None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def read(arguments: Sequence[str], options: Sequence[Option]) -> Options | str:
    """Return the options of a command line, or the first argument that only argparse can read: ""
    if one is missing.

    Args:
        arguments: the command line after the command's name.
        options: the options of the command.
    """
    known = {option.name: option for option in options if option.name.startswith("-")}
    places = [option for option in options if not option.name.startswith("-")]
    parsed = Options(options)
    rest = list(reversed(arguments))
    while rest:
        text = rest.pop()
        if text == "--":
            parsed.behind = rest[::-1]
            break
        name, sign, value = text.partition("=")
        option = known.get(name)
        if option is None and places and not _is_dashed(text):
            option, sign, value = places[0], "=", text
            places = places if option.repeatable else places[1:]
        if option is None or (sign and not option.metavar):
            return text
        if not option.metavar:
            setattr(parsed, option.dest, True)
            continue
        if not sign:
            if not rest or _is_dashed(rest[-1]):
                return text
            value = rest.pop()
        if option.choices and value not in option.choices:
            return text
        if option.repeatable:
            getattr(parsed, option.dest).append(value)
        else:
            setattr(parsed, option.dest, value)
    return "" if any(option.default is None for option in places) else parsed


def _is_dashed(text: str) -> bool:
    return text.startswith("-") and text != "-"  # which is the standard input


# --- those of `translate exec`, which other commands have, too

DEFAULT_DIALECT = "runpod"

VLLM = Option(
    "--vllm",
    "V",
    "vLLM version (default: TRANSLATE_VLLM_VERSION, else the installed one, else the newest known)",
)
DIALECT = Option(
    "--dialect",
    "NAME",
    "platform naming scheme: runpod (default), sagemaker, lmi, prefix:MY_, …; see `translate tables"
    " list`",
)
TABLES = Option(
    "--tables", "DIR", "your own tables, on top of the built-in ones (TRANSLATE_TABLES)"
)
MODEL_CONFIG = Option(
    "--model-config",
    "PATH",
    "the model's config.json, its folder, or its folder in the hub's cache: also check what the"
    " model does not allow",
)
CLUSTER = Option(
    "--cluster",
    "C",
    "scheduler of several machines whose rank variables to read, such as lws; see `translate"
    " tables list`",
)
STRICT = Option("--strict", "", "exit with status 3 if there are warnings")
WORKER_DEFAULTS = Option("--worker-defaults", "", "add the defaults that the platform documents")
JSON_STYLE = Option(
    "--json-style",
    "STYLE",
    "JSON flags: compact (default: --flag=JSON) or dotted (--flag.key=value)",
    choices=("compact", "dotted"),
    default="compact",
)
EXPLAIN = Option("--explain", "", "show on stderr what each part of the result comes from")

ASK = Option("--ask-installed", "", "ask the installed vLLM for its flags", dest="ask")

TARGET = (VLLM, ASK, DIALECT, TABLES)

EXEC = (
    *TARGET,
    CLUSTER,
    WORKER_DEFAULTS,
    JSON_STYLE,
    Option("--dry-run", "", "print the command (secrets masked) and start nothing"),
    EXPLAIN,
    Option("--strict", "", "with warnings, start nothing and exit with status 3"),
)
