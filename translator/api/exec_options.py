"""The options of `translate exec`, as our own entrypoint and in a user's manifest."""

from __future__ import annotations

from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEFAULT_DIALECT = "runpod"
ANY_PREFIX = "prefix"  # the dialect whose prefix the user chooses

VLLM = Option(
    "--vllm",
    "V",
    "vLLM version (default: TRANSLATE_VLLM_VERSION, else the installed one, else the newest known)",
)
DIALECT = Option(
    "--dialect",
    "NAME",
    "platform naming scheme: runpod (default), sagemaker, lmi, …; see `translate tables list`",
)
PREFIX = Option(
    "--prefix", "P", "variables are flags in capitals with this prefix: MY_SEED is --seed"
)
TABLES = Option("--tables", "DIR", "your own tables, added to the built-in ones (TRANSLATE_TABLES)")
CLUSTER = Option(
    "--cluster",
    "C",
    "several machines: the scheduler whose rank variables to read, such as lws; see `translate"
    " tables list`",
)
STRICT = Option("--strict", "", "exit with status 3 when there are warnings")
WORKER_DEFAULTS = Option("--worker-defaults", "", "add the platform's documented defaults")
JSON_STYLE = Option(
    "--json-style",
    "STYLE",
    "JSON values as compact (default: one JSON) or dotted (--flag.key=value)",
    choices=("compact", "dotted"),
    default="compact",
)
EXPLAIN = Option(
    "--explain", "", "show on stderr where each token comes from and what each variable did"
)

ASK = Option("--ask", "", "read the flags of the installed vLLM from itself, whatever its version")

TARGET = (VLLM, ASK, DIALECT, PREFIX, TABLES)

EXEC = (
    *TARGET,
    CLUSTER,
    WORKER_DEFAULTS,
    JSON_STYLE,
    Option("--dry-run", "", "print the command to stdout (secrets masked) and start nothing"),
    EXPLAIN,
    Option("--strict", "", "start nothing and exit with status 3 when there are warnings"),
)


def dialect_of(options: Any) -> str:
    """Return the dialect that --dialect and --prefix specify together.

    Args:
        options: an object with the attributes `dialect` and `prefix`.
    """
    if options.prefix is None:
        return options.dialect or DEFAULT_DIALECT
    return f"{options.dialect or ANY_PREFIX}:{options.prefix}"
