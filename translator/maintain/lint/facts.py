"""Rules for names of vLLM's wherever they stand, for releases, and for the tables of what hangs on
them: secrets, defaults, refusals, images, charts, plugins, machines and dialects.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import get_args

from translator.core.settings.model_facts import DERIVED
from translator.core.tables.catalog import JSON_KINDS, variable_of
from translator.core.tables.versions import Version, within
from translator.core.text.words import SecretNames, show, snake
from translator.maintain import history
from translator.maintain.lint.rules import (
    Context,
    Named,
    Wrong,
    all_keys,
    ever,
    exists,
    find,
    reads,
    rule,
    takes,
)
from translator.maintain.load import Problem
from translator.maintain.model import RELEASES, Descriptions, Secret, Secrets
from translator.maintain.model.catalog import Catalog, Facts, Flag, Variable
from translator.maintain.model.changes import Default
from translator.maintain.model.platforms import (
    LISTS,
    Consumer,
    Dialect,
    DialectHead,
    DialectVariable,
)
from translator.maintain.model.programs import Argument, Chart, Image
from translator.maintain.model.relations import Fact, Relations
from translator.maintain.model.schema import FlagName, Name, Release
from translator.maintain.relations import names_of


@rule(Named)
def names_exist(name: Named, context: Context) -> Wrong:
    """Every flag, key and variable of vLLM that a table names exists in some version, a flag under
    its own name where the model wants that; every version that it names has a catalog.
    """
    text, flag = name.text, name.text.partition(".")[0]
    if name.type == Release:
        if text not in context.versions:
            yield "", f"{text} is no known version"
        return
    if name.type == FlagName:
        there = text in context.flags
    else:
        own = name.type == Name or flag in context.flags
        there = own and ever(text, context.catalogs)
    if not there:
        yield "", f"no vLLM has {f'a flag {text}' if text[0] == '-' and '.' not in text else text}"


@rule(Facts)
def lines_as_written(table: Facts, _: Context) -> Wrong:
    """The lines of the table of all releases are those that `translate tables add` writes: in
    order, one for each run of releases that say the same, without what is at its default.
    """
    for file, text in history.texts(table.catalogs).items():
        pairs = zip_longest(table.texts.get(file, "").splitlines(), text.splitlines())
        for at, (line, expected) in enumerate(pairs, 1):
            if line != expected:
                named = show(expected) if expected else "no more lines"
                yield Problem(f"{file}:{at}", "", f"`translate tables add` writes {named} here")
                break


@rule(Secret)
def secrets_exist(secret: Secret, context: Context) -> Wrong:
    """A secret variable that would be vLLM's own is in its table."""
    name = secret.variable or ""
    if name.startswith("VLLM_") and name not in context.variables:
        yield ".variable", f"no vLLM reads a variable {name}"


@rule(Secrets)
def patterns_catch_nothing_harmless(secrets: Secrets, context: Context) -> Wrong:
    """A known name that a pattern matches (a flag, a variable of vLLM's or of a dialect, a key that
    vLLM declares) is a secret, or listed as `public`.
    """
    known = context.spellings | context.variables
    for flags in context.flags.values():
        known |= {key for flag in flags if flag.shape is not None for key in all_keys(flag.shape)}
    for dialect in context.tables.dialects:
        known |= {variable.name for variable in dialect.variable}
    secret = {snake(name) for item in secrets.secret for name in (item.flag, item.variable) if name}
    names = SecretNames(secrets.patterns, secrets.public)
    for name in sorted(known):
        if snake(name) not in secret and names.match(name):
            text = f"a pattern makes {name} a secret: list it under [[secret]] or as public"
            yield ".patterns", text


@rule(Descriptions)
def all_described(table: Descriptions, context: Context) -> Wrong:
    """Every flag has a line, and every variable of a dialect in `complete` that sets no flag; every
    JSON flag has an example; no line is about a variable that nobody reads.
    """
    known, needed = set(context.variables), set(context.flags)
    for dialect in context.tables.dialects:
        head, variables = dialect.dialect, dialect.variable
        own = {name for name in (head.extra_args, head.config_file) if name}
        # The others are flags under another name, or their note says what to set instead.
        apart = [item for item in variables if not item.target or "." in item.target]
        known |= own | {item.name for item in variables}
        if head.name.partition("@")[0] in table.complete:
            needed |= own | {item.name for item in apart if item.role != "reserved"}
    for name in sorted(needed - {*table.flag, *table.variable}) if context.complete else ():
        yield "", f"{name} is missing: say in a line what it is for"
    objects = {name for name, flags in context.flags.items() if flags[-1].kind in JSON_KINDS}
    for name in sorted(objects - {*table.example}) if context.complete else ():
        yield ".example", f"{name} is missing: give a value that vLLM accepts"
    for name in sorted(table.variable.keys() - known):
        yield ".variable", f"nobody reads a variable {name}"


@rule(Default)
def only_what_vllm_decides(item: Default, context: Context) -> Wrong:
    """`at_start` is about versions that have the name and whose parser has no default of it, and
    what it says can be set in each of them; its spans are in order, and apart.
    """
    for number, span in enumerate(item.at_start):
        wrong: dict[str, list[str]] = {}
        for catalog in context.catalogs:
            if within(catalog.version, span.since, span.until):
                text = _wrong_in(item.name, span.value, catalog)
                wrong.setdefault(text, []).append(catalog.version)
        for text, versions in wrong.items():
            if text:
                yield f".at_start[{number}]", f"{', '.join(versions)}: {text}"
    for one, other in zip(item.at_start, item.at_start[1:]):
        if not one.until or not other.since or Version(other.since) <= Version(one.until):
            yield ".at_start", f"{item.name}: not in order, or not apart"


def _wrong_in(name: str, value: str | None, catalog: Catalog) -> str:
    """What is wrong with a value that vLLM decides on in a version; "" for nothing."""
    entry = find(name, catalog)
    if not isinstance(entry, (Flag, Variable)):
        return f"there is no {name}"
    if entry.default is not None:
        return f"the parser has a default of {name}"
    if value is None:
        return ""
    fine = reads(entry, value) if isinstance(entry, Flag) else takes(name, value, (catalog,))
    return "" if fine else f"{name} does not accept {value!r}"


@rule(Relations)
def relations_fit(table: Relations, context: Context) -> Wrong:
    """The names in a relation, and in what it derives, are of some version; some version of its
    span has all of its flags.
    """
    for at, group in enumerate(table.group):
        for number, relation in enumerate(group.relation):
            where = f".group[{at}].relation[{number}]"
            try:
                names = {*names_of(relation, table.derive)} if not relation.off else set()
            except ValueError as error:
                yield where, f"{relation.id} {error}"
                continue
            flags = {name.partition(".")[0] for name in names if name[:2] == "--"}
            unknown = sorted(name for name in names if not _is_known(name, context))
            for name in unknown:
                yield where, f"{relation.id}: no version has {name}"
            spans = (
                it for it in context.catalogs if within(it.version, relation.since, relation.until)
            )
            if not unknown and not any(all(exists(flag, it) for flag in flags) for it in spans):
                yield (
                    where,
                    f"{relation.id}: no version in its range has {', '.join(sorted(flags))}",
                )


def _is_known(name: str, context: Context) -> bool:
    room, _, key = name.partition(".")
    if room == "env":
        return key in context.variables
    if room == "model":
        return key in get_args(Fact) or key in DERIVED or key in ("heads", "kv_heads")
    return ever(name, context.catalogs)


@rule(Image)
def versions_are_vllms(image: Image, context: Context) -> Wrong:
    """What an image holds is a published vLLM, or a candidate for one."""
    releases = context.tables.files.get(RELEASES)
    known = {Version(version).base for version in (releases.published if releases else ())}
    for tag, version in image.versions.items() if known else ():
        if Version(version).base not in known:
            yield ".versions", f"{tag}: {version} is no release of vLLM"


@rule(Chart, Argument)
def flags_of_charts_exist(item: Chart | Argument, context: Context) -> Wrong:
    """Each flag exists in some version, or switches one off."""
    tokens = item.start if isinstance(item, Chart) else (*item.tokens, *item.otherwise)
    for token in tokens:
        if token.startswith("--") and token not in context.spellings:
            yield "", f"no vLLM has a flag {token}"


# --- dialects -------------------------------------------------------------------------------------


def _heads(context: Context) -> dict[str, DialectHead]:
    return {item.dialect.name: item.dialect for item in context.tables.dialects}


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
def defaults_fit(variable: DialectVariable, context: Context) -> Wrong:
    """The documented default of a flag's variable is a value that some version takes."""
    name, default = variable.target, variable.default
    meanings = [find(name, catalog) for catalog in context.catalogs]
    flags = [flag for flag in meanings if isinstance(flag, Flag)]
    if default is not None and flags and not any(reads(flag, default) for flag in flags):
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
    """What the consumer's lists name exists in its vLLM."""
    known = {item.version: item for item in context.catalogs}
    if consumer.vllm and consumer.vllm not in known:
        yield ".vllm", f"there is no catalog of {consumer.vllm}"
    elif consumer.vllm:
        flags = {flag.flag for flag in known[consumer.vllm].flags}
        for part in LISTS:
            for index, name in enumerate(getattr(consumer, part)):
                if name in context.flags and name not in flags:
                    yield f".{part}[{index}]", f"vLLM {consumer.vllm} has no flag {name}"
