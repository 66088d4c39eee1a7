"""Rules for dialects/NAME.toml: every claim about a flag holds in some catalog."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.names import boolean, capitals, ever, find, reads, takes
from translator.authoring.schema.catalog import Flag
from translator.authoring.schema.dialects import Consumer, Dialect, DialectVariable
from translator.authoring.sources import Problem

_ANY_KIND = (
    "ignored",
    "array_whole",
    "calculates",
    "overrules",
)  # lists of the consumer's that speak of flags of any kind


def _variables(context: Context) -> Iterator[tuple[str, Dialect, str, DialectVariable]]:
    for file, dialect in context.tables.dialects.items():
        for index, variable in enumerate(dialect.variable):
            yield file, dialect, f"$.variable[{index}]", variable


def _flag_names(context: Context) -> dict[str, str]:
    """The name in capitals of every flag of any version, and of --help, which no catalog lists."""
    return {"HELP": "--help"} | {
        capitals(flag.flag): flag.flag for catalog in context.catalogs for flag in catalog.flags
    }


def sources_given(context: Context) -> Iterator[Problem]:
    """A dialect says where its variables are documented."""
    for file, dialect in context.tables.dialects.items():
        if not dialect.dialect.sources:
            yield Problem(file, "$.dialect.sources", "is missing")


def one_entry_a_variable(context: Context) -> Iterator[Problem]:
    """A variable has one entry, and is not the one for further arguments or the configuration file
    at once.
    """
    for file, dialect in context.tables.dialects.items():
        seen = {
            name: "the dialect's own"
            for name in (dialect.dialect.extra_args, dialect.dialect.config_file)
            if name is not None
        }
        for index, variable in enumerate(dialect.variable):
            if variable.name in seen:
                yield Problem(
                    file,
                    f"$.variable[{index}].name",
                    f"{variable.name} is {seen[variable.name]} already",
                )
            seen[variable.name] = f"$.variable[{index}]"


def flags_exist(context: Context) -> Iterator[Problem]:
    """What a variable sets exists in some version; a flag is called by its own name, not by another
    spelling.
    """
    flags = {flag.flag for catalog in context.catalogs for flag in catalog.flags}
    for file, _, path, variable in _variables(context):
        if variable.flag is None:
            continue
        base, _, key = variable.flag.partition(".")
        if base not in flags:
            yield Problem(file, f"{path}.flag", f"{variable.name}: no vLLM has a flag {base}")
        elif key and not ever(variable.flag, context.catalogs):
            yield Problem(
                file, f"{path}.flag", f"{variable.name}: {base} has no key {key} in any version"
            )


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
            yield Problem(
                file,
                "$.dialect.extends",
                (
                    f"there is no dialect {base}"
                    if base not in heads
                    else f"{' extends '.join((*seen, base))}"
                ),
            )


def choices_exist(context: Context) -> Iterator[Problem]:
    """What a value of a `choice` sets exists in some version."""
    flags = {flag.flag for catalog in context.catalogs for flag in catalog.flags}
    for file, _, path, variable in _variables(context):
        for value, parts in variable.sets.items():
            for flag in parts:
                if flag not in flags:
                    yield Problem(
                        file, f"{path}.sets.{value}", f"{variable.name}: no vLLM has a flag {flag}"
                    )


def inverted_are_boolean(context: Context) -> Iterator[Problem]:
    """Only what takes true or false can be inverted."""
    for file, _, path, variable in _variables(context):
        if (
            variable.inverted
            and variable.flag is not None
            and not any(boolean(find(variable.flag, catalog)) for catalog in context.catalogs)
        ):
            yield Problem(
                file,
                f"{path}.inverted",
                f"{variable.name}: {variable.flag} accepts more than true and false",
            )


def defaults_fit(context: Context) -> Iterator[Problem]:
    """The documented default of a flag's variable is a value that some version takes."""
    for file, _, path, variable in _variables(context):
        if variable.default is None or variable.flag is None:
            continue
        flags = [
            found
            for found in (find(variable.flag, catalog) for catalog in context.catalogs)
            if isinstance(found, Flag)
        ]
        right = [flag for flag in flags if reads(flag, variable.default)]
        if flags and (
            not right
            or (
                not flags[0].boolean
                and not takes(variable.flag, variable.default, context.catalogs)
            )
        ):
            yield Problem(
                file,
                f"{path}.default",
                f"{variable.name}: no version accepts {variable.default!r} for {variable.flag}",
            )


def no_flag_out_of_reach(context: Context) -> Iterator[Problem]:
    """A flag's name in capitals that does not set the flag is `reserved`, or `environment` with a
    note; a reserved name is a flag's.
    """
    flags = _flag_names(context)
    prefixes = {
        dialect.dialect.name: dialect.dialect.prefix for dialect in context.tables.dialects.values()
    }
    for file, dialect, path, variable in _variables(context):
        prefix = dialect.dialect.prefix or prefixes.get(dialect.dialect.extends or "", "")
        flag = (
            flags.get(variable.name.removeprefix(prefix))
            if variable.name.startswith(prefix)
            else None
        )
        if variable.role == "reserved" and flag is None:
            yield Problem(
                file, path, f"{variable.name} is reserved for nothing: it is no flag's name"
            )
        elif flag is not None and (
            variable.role == "worker" or (variable.role == "environment" and variable.note is None)
        ):
            yield Problem(
                file,
                path,
                f"{variable.name} keeps {flag} from being set by its name: its role is 'reserved',"
                " or 'environment' with a note",
            )


def _suits(flag: Flag, part: str, of_one: bool) -> bool:
    """Whether a list of the consumer's is for flags of this kind.

    Args:
        of_one: the consumer runs one vLLM, whose flags have a negation where false is one.
    """
    if part in _ANY_KIND:
        return True
    if part == "pair_flags" and of_one:
        return flag.kind == "toggle"
    return flag.boolean == (part in ("pair_flags", "switch_flags", "true_flags"))


def consumer_is_right(context: Context) -> Iterator[Problem]:
    """What the consumer's lists name exists in the consumer's vLLM, is of the kind that the list is
    for, and stands in one list.
    """
    for file, dialect in context.tables.dialects.items():
        consumer = dialect.consumer
        if consumer is None:
            continue
        catalog = next((item for item in context.catalogs if item.version == consumer.vllm), None)
        if catalog is None and consumer.vllm is not None:
            yield Problem(file, "$.consumer.vllm", f"there is no catalog of {consumer.vllm}")
            continue
        known = context.catalogs if catalog is None else [catalog]
        flags: dict[str, list[Flag]] = {}
        for flag in (flag for item in known for flag in item.flags):
            flags.setdefault(flag.flag, []).append(flag)
        where = f"vLLM {consumer.vllm} has no" if catalog is not None else "no vLLM has a"
        listed: dict[str, str] = {}
        for part in Consumer.lists():
            for index, name in enumerate(getattr(consumer, part)):
                path = f"$.consumer.{part}[{index}]"
                if name not in flags:
                    yield Problem(file, path, f"{where} flag {name}")
                elif not any(_suits(flag, part, catalog is not None) for flag in flags[name]):
                    yield Problem(
                        file,
                        path,
                        f"{name} is of kind {flags[name][-1].kind!r} in vLLM"
                        f" {consumer.vllm or 'of any version'}",
                    )
                if part in _ANY_KIND:
                    continue
                if part == "zero_unset" and name not in consumer.value_flags:
                    yield Problem(file, path, f"{name} is not among the value_flags")
                elif part != "zero_unset" and name in listed:
                    yield Problem(file, path, f"{name} is among the {listed[name]} already")
                listed.setdefault(name, part)


def properties_lead_to_variables(context: Context) -> Iterator[Problem]:
    """A key of a dialect's file that names a variable names one that the dialect has."""
    for file, dialect in context.tables.dialects.items():
        listed = {variable.name for variable in dialect.variable}
        for key, name in dialect.properties.names.items() if dialect.properties is not None else ():
            if name not in listed:
                yield Problem(file, f"$.properties.names.{key}", f"there is no variable {name}")


def behind_is_known(context: Context) -> Iterator[Problem]:
    """What a consumer puts behind everything else is a spelling of some version's, and is kept away
    by a value of one of the dialect's choices.
    """
    spellings = {text for catalog in context.catalogs for text in catalog.spellings}
    for file, dialect in context.tables.dialects.items():
        choices = {
            variable.name: variable.sets
            for variable in dialect.variable
            if variable.role == "choice"
        }
        for token, assignment in (
            dialect.consumer.behind.items() if dialect.consumer is not None else ()
        ):
            if token not in spellings:
                yield Problem(file, f"$.consumer.behind.{token}", f"no vLLM knows {token}")
            name, _, value = assignment.partition("=")
            if value not in choices.get(name, ()):
                yield Problem(
                    file,
                    f"$.consumer.behind.{token}",
                    f"{assignment}: the dialect has no variable {name} of role 'choice' with this"
                    " value",
                )


RULES = (
    sources_given,
    one_entry_a_variable,
    flags_exist,
    bases_exist,
    choices_exist,
    inverted_are_boolean,
    defaults_fit,
    no_flag_out_of_reach,
    consumer_is_right,
    properties_lead_to_variables,
    behind_is_known,
)
