"""Write `vllm serve` command lines."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.masking import MASK, may_hold_a_secret
from translator.secrets.secrets import secrets_of
from translator.settings.setting import same
from translator.tables.entries import CONFIG, MODEL
from translator.text import json_text as jsontext
from translator.text.quoting import unusable
from translator.values.errors import BadValue
from translator.values.tokens import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from translator.secrets.secrets import Secrets
    from translator.settings.setting import Assembled
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag


COMMAND = ["vllm", "serve"]


_LONG = 200  # longer tokens are not cached


class Written:
    """A command line, flag by flag.

    Attributes:
        groups: (flag, its tokens); first (MODEL, ["vllm", "serve", the model]).
        findings: what cannot be written on a command line.
        fresh: flags not written before with the same value; only these need `secrets_on`.
    """

    __slots__ = ("findings", "fresh", "groups")

    def __init__(
        self, groups: list[tuple[str, list[str]]], findings: list[Finding], fresh: list[str]
    ) -> None:
        self.groups, self.findings, self.fresh = groups, findings, fresh

    @property
    def argv(self) -> list[str]:
        """All tokens."""
        found: list[str] = []
        for _, group in self.groups:
            found += group
        return found


def write_argv(done: Assembled, catalog: Catalog, *, json_style: str = "compact") -> Written:
    """Write settings as the command line of a version, model and config file first.

    Args:
        done: the settings.
        catalog: the catalog of the version to write for.
        json_style: "compact", or "dotted" for dotted keys where they read back unchanged.
    """
    findings: list[Finding] = []
    values = dict(done.values)
    model = values.pop(MODEL, None)
    config = values.pop(CONFIG, None)
    fresh: list[str] = []
    groups = [(MODEL, list(COMMAND) if model is None else [*COMMAND, model])]
    if model is not None:
        before = catalog.written.get(MODEL)
        if before is None or before[0] is not model:
            fresh.append(MODEL)
            findings += _about_model(model, done, catalog)
    if config is not None:
        fresh.append(CONFIG)
        findings += _unusable(CONFIG, config, done)
        # vLLM recognises only the separate token `--config`, not `--config=FILE`
        groups.append((CONFIG, [CONFIG, config]))
    is_dotted = json_style == "dotted" and catalog.grammar.dotted
    for name in sorted(values):
        value = values[name]
        before = catalog.written.get(name)
        if before is not None and before[0] is value:
            groups.append((name, before[1]))
            continue
        fresh.append(name)
        group, about = _group(name, done, catalog, is_dotted=is_dotted)
        findings += about
        if group:
            groups.append((name, group))
    return Written(groups, findings, fresh)


def _group(
    name: str, done: Assembled, catalog: Catalog, *, is_dotted: bool
) -> tuple[list[str], list[Finding]]:
    """Return the tokens of a flag, none if it cannot be written, and the findings about that."""
    flag, value, origin = catalog.flag(name), done.values[name], done.origins[name][0]
    assert flag is not None
    try:
        if is_dotted and isinstance(value, dict):
            group = dotted_tokens(flag, value, catalog)
        else:
            group = tokens(flag, value, lambda text: _stands(text, catalog))
    except BadValue as error:
        facts = {"flag": name, "version": catalog.version, **error.facts}
        return [], [finding(error.code, origin, case=error.case, **facts)]
    together = "\n".join(group)
    if bad := _unusable(name, together, done):
        return [], bad
    if group and group[-1].endswith("=--") and f"{name}=--" in group:
        return [], [finding("not-on-argv", origin, case="end", flag=name)]
    is_plain = value is not None and len(together) < _LONG and not may_hold_a_secret(value)
    if group and is_plain and name not in secrets_of(catalog.tables).carriers:
        catalog.written[name] = value, group
    return group, []


def _stands(text: str, catalog: Catalog) -> bool:
    """Tell whether a separate token is read as a value."""
    if not text.startswith("-"):
        return True
    from translator.argv.reader import stands  # lazy: starting vLLM needs the reader only here

    return stands(text, catalog)


def _unusable(name: str, text: str, done: Assembled) -> list[Finding]:
    case = unusable(text)
    if not case:
        return []
    return [finding("bad-text", done.origins[name][0].partition("=")[0], case=case, name=name)]


def _about_model(model: str, done: Assembled, catalog: Catalog) -> list[Finding]:
    """Return the findings about a model that was not written before."""
    origin = done.origins[MODEL][0]
    found = about_model_name(model, origin, catalog)
    served = catalog.grammar.served_needs_model
    if found and served in done.values and CONFIG not in done.values:
        # 0.17 on: beside a served name, no first argument with a dash is the model.
        found = [finding("not-on-argv", origin, given=found[0].facts["given"])]
    found = [*found, *_unusable(MODEL, model, done)]
    if not found and len(model) < _LONG and not may_hold_a_secret(model):
        catalog.written[MODEL] = model, [model]
    return found


def about_model_name(model: str, origin: str, catalog: Catalog) -> list[Finding]:
    """Return the finding about a model that looks like an option, if it does."""
    if not model.startswith("-"):
        return []
    model = (
        MASK if origin == MASK else model
    )  # most likely the value of a secret option that this version lacks
    shown = MASK if model == MASK else secrets_of(catalog.tables).showing.path(model)
    if _stands(model, catalog):
        return [finding("model-like-option", origin, given=shown, version=catalog.version)]
    return [finding("not-on-argv", origin, given=shown)]


def missing_model(done: Assembled, catalog: Catalog, variable: str) -> Finding:
    """Return the finding about a missing model.

    It is an error if the version then refuses to start (0.17 on: with a served name), otherwise a
    warning.
    """
    facts = {
        "version": catalog.version,
        "variable": "" if variable.startswith("-") else variable,
    }
    served = catalog.grammar.served_needs_model
    if served in done.values:
        return finding("missing-model", variable, flag=served, **facts)
    code = "missing-model" if catalog.grammar.model_required else "no-model"
    return finding(code, variable, **facts)


def secrets_on(
    done: Assembled, catalog: Catalog, secrets: Secrets, names: Iterable[str] | None = None
) -> list[Finding]:
    """Return a warning for every secret that vLLM reads only from its command line.

    Such secrets are inside a JSON value or a URL. `names` limits the check to some flags.
    """
    found = []
    for name in done.values if names is None else names:
        value = done.values[name]
        if may_hold_a_secret(value) and secrets.in_value(
            value
        ):  # cheap test first: it runs for every value
            origin = done.origins[name][0].partition("=")[0]
            found.append(finding("secret-on-argv", origin, flag=name, version=catalog.version))
    return found


def dotted_tokens(flag: Flag, value: Any, catalog: Catalog) -> list[str]:
    """Return the tokens that set a JSON flag key by key.

    If they would not read back as the same value, the compact form is returned.

    Args:
        flag: the version's flag.
        value: a JSON object.
        catalog: the version's catalog.
    """
    if not isinstance(value, dict) or not value or not catalog.grammar.dotted:
        return tokens(flag, value)
    found = list(_leaves(flag.flag, value, catalog))
    return found if _reads_back(found, flag, value, catalog) else tokens(flag, value)


def _leaves(name: str, value: dict[str, Any], catalog: Catalog) -> Iterator[str]:
    secrets = secrets_of(catalog.tables)
    for key, item in value.items():
        here = f"{name}.{key}"
        if (
            isinstance(item, dict) and item and not secrets.named(key)
        ):  # keys inside a secret may be secret too, and dotted names would show them
            yield from _leaves(here, item, catalog)
        elif catalog.grammar.plus and _is_plain_list(item):
            yield f"{here}+={','.join(item)}"
        else:
            yield f"{here}={_text(item, catalog)}"


def _is_plain_list(value: Any) -> bool:
    """Tell whether `+` can set a list: its elements are strings separated by commas."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, str) and item and "," not in item for item in value)
    )


def _text(value: Any, catalog: Catalog) -> str:
    """Return a value as JSON; a string unchanged, unless the parser would read JSON or a size."""
    if isinstance(value, str):
        from translator.argv.flexible import dotted_value

        if dotted_value(value, catalog) == value:
            return value
    return jsontext.dumps(value)


def _reads_back(found: list[str], flag: Flag, value: dict[str, Any], catalog: Catalog) -> bool:
    from translator.argv.parsed import PART
    from translator.argv.reader import parse, settings_of

    parsed = parse(found, catalog, PART)
    read = settings_of(parsed.occurrences)
    return not parsed.findings and list(read) == [flag.flag] and same(read[flag.flag][0], value)
