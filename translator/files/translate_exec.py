"""This project's entrypoint in a user's command or container: `translate exec [OPTIONS] -- TOKEN
…`, which reads the container's variables.
"""

from __future__ import annotations

from translator.api.exec_options import EXEC, dialect_of
from translator.findings import Finding, finding
from translator.text import options as quick
from translator.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from translator.naming.scope import Scope
    from translator.tables.catalog import Tables

    Reads = Callable[..., bool]


PROGRAM, MODULE, COMMAND = "translate", "translator", "exec"


# The roles of variables that identify a container. Variables that any program may read, such as
# HF_TOKEN, do not.
_TELLING = frozenset(("flag", "absent", "choice", "extra-args"))


class Entry(Record):
    """How the entrypoint was started.

    Attributes:
        dialect: the dialect of the variables that it reads; None if no option names it, because its
            container was identified only by its variables.
        vllm, cluster: the values of its options, or None.
        worker_defaults: whether it adds the platform's documented defaults.
    """

    dialect: str | None = None
    vllm: str | None = None
    cluster: str | None = None
    worker_defaults: bool = False


def length(words: Sequence[str], at: int = 0) -> int:
    """Return how many words at an index form `translate exec` or `python -m translator exec`."""
    name = words[at].rpartition("/")[2]
    if name == PROGRAM:
        return 2 if list(words[at + 1 : at + 2]) == [COMMAND] else 0
    if not name.startswith("python"):
        return 0
    end = at + 1
    while end < len(words) and words[end].startswith("-") and words[end] != "-m":
        end += 1
    return end + 3 - at if list(words[end : end + 3]) == ["-m", MODULE, COMMAND] else 0


def read(tokens: Sequence[str]) -> tuple[Entry, list[str], list[Finding]]:
    """Read what follows `translate exec`.

    Returns:
        Its options, the tokens that override the variables, and the problems in them.
    """
    try:
        options = quick.parse(tokens, EXEC)
    except quick.OptionError as error:
        given = error.argument.partition("=")[0]
        option = given if given.startswith("-") else ""
        option = given if any(item.name == given for item in EXEC) else option
        found = finding("not-vllm-serve", option or COMMAND, case="exec-options", option=option)
        return Entry(), [], [found]
    findings = []
    if options.tables:
        findings.append(finding("unresolved-value", "--tables", case="exec-tables"))
    entry = Entry(dialect_of(options), options.vllm, options.cluster, options.worker_defaults)
    return entry, list(options.behind or ()), findings


def reader(dialect: str, tables: Tables) -> Reads:
    """Return a function that returns whether a container is one of a dialect, by the names of its
    variables: by those that set the model and another flag that hardly any program but vLLM has, or
    by the one that holds arguments; of a program that is known to hold vLLM, and of a dialect whose
    names have a prefix, by any one.

    The dialect is looked up on its first call.
    """
    from translator.findings import TranslationError
    from translator.naming.scope import scope as scope_of
    from translator.tables.entries import MODEL
    from translator.tables.images import telling

    found: list[Scope] = []

    def reads(names: Iterable[str], is_known: bool = False) -> bool:
        try:
            scope = found[0] if found else scope_of(tables.versions()[-1], dialect, {}, tables)[0]
        except TranslationError:
            return False  # no such dialect: reported elsewhere
        found[:] = [scope]
        roles = [role for role in map(scope.role, names) if role and role.kind in _TELLING]
        if is_known or scope.prefix or any(role.kind == "extra-args" for role in roles):
            return bool(roles)
        flags = {role.flag.flag if role.flag is not None else role.name for role in roles}
        return MODEL in flags and len(telling(flags, tables)) > 1

    return reads


def nobody(names: Iterable[str], is_known: bool = False) -> bool:
    """Return False: no dialect is known."""
    return False
