"""Rules for dialects/NAME.toml: every claim about a flag holds in some catalog."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context, Wrong, rule_for
from translator.authoring.names import boolean, capitals, find, reads, takes
from translator.authoring.sources import Problem
from translator.model.catalog import Flag
from translator.model.dialects import LISTS, Consumer, Dialect, DialectVariable

# Lists of the consumer's that speak of flags of any kind.
_ANY_KIND = ("ignored", "array_whole", "calculates", "overrules")
_BOOLEAN = ("pair_flags", "switch_flags", "true_flags")


def _variables(dialect: Dialect) -> Iterator[tuple[str, DialectVariable]]:
    for index, variable in enumerate(dialect.variable):
        yield f"$.variable[{index}]", variable


@rule_for("dialects")
def sources_given(dialect: Dialect, _: Context) -> Wrong:
    """A dialect says where its variables are documented."""
    if not dialect.dialect.sources:
        yield "$.dialect.sources", "is missing"


def bases_exist(context: Context) -> Iterator[Problem]:
    """The dialect that is extended exists, and no dialect extends itself, whatever way round."""
    heads = {dialect.dialect.name: dialect.dialect for dialect in context.tables.dialects.values()}
    for file, dialect in context.tables.dialects.items():
        seen = [dialect.dialect.name]
        base = dialect.dialect.extends
        while base is not None and base in heads and base not in seen:
            seen.append(base)
            base = heads[base].extends
        if base is not None:
            circle = " extends ".join((*seen, base))
            text = circle if base in heads else f"there is no dialect {base}"
            yield Problem(file, "$.dialect.extends", text)


@rule_for("dialects")
def inverted_are_boolean(dialect: Dialect, context: Context) -> Wrong:
    """Only what takes true or false can be inverted."""
    for path, variable in _variables(dialect):
        name = variable.target
        if variable.inverted and not any(
            boolean(find(name, catalog)) for catalog in context.catalogs
        ):
            text = f"{variable.name}: {name} accepts more than true and false"
            yield f"{path}.inverted", text


@rule_for("dialects")
def defaults_fit(dialect: Dialect, context: Context) -> Wrong:
    """The documented default of a flag's variable is a value that some version takes."""
    for path, variable in _variables(dialect):
        name, default = variable.target, variable.default
        if default is None or not name:
            continue
        known = [find(name, catalog) for catalog in context.catalogs]
        flags = [flag for flag in known if isinstance(flag, Flag)]
        if flags and not (
            any(reads(flag, default) for flag in flags)
            and (flags[0].boolean or takes(name, default, context.catalogs))
        ):
            text = f"{variable.name}: no version accepts {default!r} for {name}"
            yield f"{path}.default", text


@rule_for("dialects")
def no_flag_out_of_reach(dialect: Dialect, context: Context) -> Wrong:
    """A flag's name in capitals that does not set the flag is `reserved`, or `environment` with a
    note; a reserved name is a flag's.
    """
    # No catalog lists --help.
    flags = {capitals(flag): flag for flag in ("--help", *context.flags)}
    heads = {base.dialect.name: base.dialect for base in context.tables.dialects.values()}
    base = heads.get(dialect.dialect.extends or "")
    prefix = dialect.dialect.prefix or (base.prefix if base is not None else "")
    for path, variable in _variables(dialect):
        name, role = variable.name, variable.role
        flag = flags.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if role == "reserved" and flag is None:
            yield path, f"{name} is reserved for nothing: it is no flag's name"
        elif flag is not None and (
            role == "worker" or (role == "environment" and not variable.note)
        ):
            yield (
                path,
                f"{name} keeps {flag} from being set by its name: its role is 'reserved', or"
                " 'environment' with a note",
            )


@rule_for("dialects")
def consumer_is_right(dialect: Dialect, context: Context) -> Wrong:
    """What the consumer's lists name exists in the consumer's vLLM, and is of the kind that the
    list is for.
    """
    consumer = dialect.consumer
    if consumer is None:
        return
    flags, version = context.flags, "of any version"
    if consumer.vllm:
        catalogs = [item for item in context.catalogs if item.version == consumer.vllm]
        if not catalogs:
            yield "$.consumer.vllm", f"there is no catalog of {consumer.vllm}"
            return
        flags, version = {flag.flag: [flag] for flag in catalogs[0].flags}, consumer.vllm
    for part in LISTS:
        for index, name in enumerate(getattr(consumer, part)):
            path = f"$.consumer.{part}[{index}]"
            if name not in flags:
                if name in context.flags:
                    yield path, f"vLLM {version} has no flag {name}"
            elif not any(_suits(flag, part, consumer) for flag in flags[name]):
                yield path, f"{name} is of kind {flags[name][-1].kind!r} in vLLM {version}"


def _suits(flag: Flag, part: str, consumer: Consumer) -> bool:
    """Whether a list of the consumer's is for flags of this kind."""
    if part in _ANY_KIND:
        return True
    if part == "pair_flags" and consumer.vllm:
        return flag.kind == "toggle"  # in its one vLLM, flags have a negation where false is one
    return flag.boolean == (part in _BOOLEAN)


RULES = (
    sources_given,
    bases_exist,
    inverted_are_boolean,
    defaults_fit,
    no_flag_out_of_reach,
    consumer_is_right,
)
