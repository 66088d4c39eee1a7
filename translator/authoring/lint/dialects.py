"""Rules for dialects/NAME.toml: every claim about a flag holds in some catalog."""

from __future__ import annotations

from translator.authoring.lint.rules import Context, Wrong, rule
from translator.authoring.names import boolean, find, reads, takes
from translator.model.catalog import Flag
from translator.model.platforms import LISTS, Consumer, Dialect, DialectHead, DialectVariable
from translator.tables.catalog import variable_of

# Lists of the consumer's that speak of flags of any kind.
_ANY_KIND = ("ignored", "array_whole", "calculates", "overrules")
_BOOLEAN = ("pair_flags", "switch_flags", "true_flags")


def _heads(context: Context) -> dict[str, DialectHead]:
    return {item.dialect.name: item.dialect for item in context.tables.dialects.values()}


@rule(DialectHead)
def sources_given(head: DialectHead, _: Context) -> Wrong:
    """A dialect says where its variables are documented."""
    if not head.sources:
        yield ".sources", "is missing"


@rule(DialectHead)
def bases_exist(head: DialectHead, context: Context) -> Wrong:
    """The dialect that is extended exists, and no dialect extends itself, whatever way round."""
    heads, seen, base = _heads(context), [head.name], head.extends
    while base is not None and base in heads and base not in seen:
        seen.append(base)
        base = heads[base].extends
    if base is not None:
        circle = " extends ".join((*seen, base))
        yield ".extends", circle if base in heads else f"there is no dialect {base}"


@rule(DialectVariable)
def inverted_are_boolean(variable: DialectVariable, context: Context) -> Wrong:
    """Only what takes true or false can be inverted."""
    name = variable.target
    if variable.inverted and not any(boolean(find(name, item)) for item in context.catalogs):
        yield ".inverted", f"{variable.name}: {name} accepts more than true and false"


@rule(DialectVariable)
def defaults_fit(variable: DialectVariable, context: Context) -> Wrong:
    """The documented default of a flag's variable is a value that some version takes."""
    name, default = variable.target, variable.default
    found = [find(name, catalog) for catalog in context.catalogs]
    flags = [flag for flag in found if isinstance(flag, Flag)]
    if default is None or not flags:
        return
    read = any(reads(flag, default) for flag in flags)
    if not read or not (flags[0].boolean or takes(name, default, context.catalogs)):
        yield ".default", f"{variable.name}: no version accepts {default!r} for {name}"


@rule(Dialect)
def no_flag_out_of_reach(dialect: Dialect, context: Context) -> Wrong:
    """A flag's name in capitals that does not set the flag is `reserved`, or `environment` with a
    note; a reserved name is a flag's.
    """
    # No catalog lists --help.
    flags = {variable_of(flag): flag for flag in ("--help", *context.flags)}
    base = _heads(context).get(dialect.dialect.extends or "")
    prefix = dialect.dialect.prefix or (base.prefix if base is not None else "")
    for index, variable in enumerate(dialect.variable):
        name, role = variable.name, variable.role
        flag = flags.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        where = f".variable[{index}]"
        if role == "reserved" and flag is None:
            yield where, f"{name} is reserved for nothing: it is no flag's name"
        kept = role == "worker" or (role == "environment" and not variable.note)
        if kept and flag is not None:
            hint = "its role is 'reserved', or 'environment' with a note"
            yield where, f"{name} keeps {flag} from being set by its name: {hint}"


@rule(Consumer)
def consumer_is_right(consumer: Consumer, context: Context) -> Wrong:
    """What the consumer's lists name exists in the consumer's vLLM, and is of the kind that the
    list is for.
    """
    flags, version = context.flags, "of any version"
    if consumer.vllm:
        catalogs = [item for item in context.catalogs if item.version == consumer.vllm]
        if not catalogs:
            yield ".vllm", f"there is no catalog of {consumer.vllm}"
            return
        flags, version = {flag.flag: [flag] for flag in catalogs[0].flags}, consumer.vllm
    for part in LISTS:
        for index, name in enumerate(getattr(consumer, part)):
            where = f".{part}[{index}]"
            if name not in flags:
                if name in context.flags:
                    yield where, f"vLLM {version} has no flag {name}"
            elif not any(_suits(flag, part, consumer) for flag in flags[name]):
                yield where, f"{name} is of kind {flags[name][-1].kind!r} in vLLM {version}"


def _suits(flag: Flag, part: str, consumer: Consumer) -> bool:
    """Whether a list of the consumer's is for flags of this kind."""
    if part in _ANY_KIND:
        return True
    if part == "pair_flags" and consumer.vllm:
        return flag.kind == "toggle"  # in its one vLLM, flags have a negation where false is one
    return flag.boolean == (part in _BOOLEAN)
