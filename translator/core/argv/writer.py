"""Write `vllm serve` command lines."""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import CONFIG, MODEL
from translator.core.tables.dialects import NOTHING
from translator.core.text.words import unusable
from translator.core.values import BadValue, plain, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from translator.core.settings import Resolved
    from translator.core.tables.catalog import Catalog
    from translator.core.text.words import Origin

    Group = tuple[str, list[str]]

COMMAND = ["vllm", "serve"]


def write_argv(
    resolved: Resolved, catalog: Catalog, *, json_style: str = "compact"
) -> tuple[list[Group], list[Finding]]:
    """Write settings as the command line of a version, model and config file first.

    Args:
        resolved: the settings.
        catalog: the catalog of the version to write for.
        json_style: "compact", or "dotted" for dotted keys where they read back unchanged.

    Returns:
        Each flag and its tokens, first (MODEL, ["vllm", "serve", the model]); and the findings
        about what cannot be written on a command line, or should not stand there.
    """
    findings: list[Finding] = []
    groups: list[Group] = []
    is_dotted = json_style == "dotted" and catalog.grammar.dotted
    values, whole = resolved.values, resolved.whole
    first = [name for name in (MODEL, CONFIG) if name in values]
    for name in [*first, *sorted(values.keys() - first)]:
        setting = whole.get(name)
        if setting is not None and setting.value is not values[name]:
            setting = None  # merged with another
        kept = setting.written if setting is not None else None
        if kept is not None and kept[0] is catalog:
            groups.append((name, kept[1]))
            continue
        group, about = _group(name, resolved, catalog, is_dotted=is_dotted)
        findings += about
        if group:
            groups.append((name, group))
        if setting is not None and not about:
            setting.written = catalog, group
    if not groups or groups[0][0] != MODEL:
        groups.insert(0, (MODEL, list(COMMAND)))
    return groups, findings


_PLAIN = frozenset((int, float, bool, type(None)))  # what holds no secret, and any process gets


def _group(
    name: str, resolved: Resolved, catalog: Catalog, *, is_dotted: bool
) -> tuple[list[str], list[Finding]]:
    """Return the tokens of a flag, none if it cannot be written, and the findings about it."""
    flag, value = catalog.flag(name), resolved.values[name]
    assert flag is not None
    if name == MODEL and value is not None:
        group, about = [*COMMAND, value], _about_model(value, resolved, catalog)
    elif name == CONFIG and value is not None:
        # vLLM recognises only the separate token `--config`, not `--config=FILE`
        group, about = [CONFIG, value], _unusable(CONFIG, value, resolved)
    else:
        try:
            if is_dotted and isinstance(value, dict):
                from translator.core.argv.parser import dotted_tokens

                group = dotted_tokens(flag, value, catalog)
            else:
                group = tokens(flag, value, lambda text: _stands(text, catalog))
        except BadValue as error:
            from translator.core.values.mistakes import bad_value

            origin = resolved.origins[name][0]
            return [], [bad_value(error, str(origin), flag, catalog).of(origin)]
        if type(value) in _PLAIN:
            return group, []
        if bad := _unusable(name, "\n".join(group), resolved):
            return [], bad
        if group and group[-1].endswith("=--") and f"{name}=--" in group:
            origin = resolved.origins[name][0]
            return [], [finding("not-on-argv", str(origin), case="end", flag=name).of(origin)]
        about = []
    return group, [*about, *secrets_on(resolved, catalog, (name,))]


def _stands(text: str, catalog: Catalog) -> bool:
    """Tell whether a separate token is read as a value."""
    if not text.startswith("-"):
        return True
    from translator.core.argv.parser import stands

    return stands(text, catalog)


def _unusable(name: str, text: str, resolved: Resolved) -> list[Finding]:
    case = unusable(text)
    if not case:
        return []
    return [finding("bad-text", resolved.origins[name][0].name, case=case, name=name)]


def _about_model(model: str, resolved: Resolved, catalog: Catalog) -> list[Finding]:
    """Return the findings about a model that was not written before."""
    origin = resolved.origins[MODEL][0]
    findings = about_model_name(model, origin, catalog)
    served = catalog.grammar.served_needs_model
    if findings and served in resolved.values and CONFIG not in resolved.values:
        # 0.17 on: beside a served name, no first argument with a dash is the model.
        findings = [finding("not-on-argv", str(origin), given=model).of(origin)]
    return [*findings, *_unusable(MODEL, model, resolved)]


def about_model_name(model: str, origin: Origin, catalog: Catalog) -> list[Finding]:
    """Return the finding about a model that looks like an option, if it does."""
    if not model.startswith("-"):
        return []
    if _stands(model, catalog):
        item = finding("model-like-option", str(origin), given=model, version=catalog.version)
        return [item.of(origin)]
    return [finding("not-on-argv", str(origin), given=model).of(origin)]


def missing_model(resolved: Resolved, catalog: Catalog, variable: str) -> Finding:
    """Return the finding about a missing model.

    It is an error if the version then refuses to start (0.17 on: with a served name), otherwise a
    warning.
    """
    facts = {"version": catalog.version, "variable": "" if variable.startswith("-") else variable}
    served = catalog.grammar.served_needs_model
    if served in resolved.values:
        return finding("missing-model", variable, flag=served, **facts)
    code = "missing-model" if catalog.grammar.model_required else "no-model"
    return finding(code, variable, **facts)


def moved_secret(
    value: Any, what: str, variable: str, subject: str = ""
) -> tuple[str | None, list[Finding]]:
    """Return where the value of a secret flag goes (mappings/secrets.toml).

    Args:
        value: the value.
        what: the flag or variable that holds it.
        variable: the variable from which vLLM reads the same value.
        subject: the finding's subject, if it is not `what`.

    Returns:
        The variable's text; None if the value goes on vLLM's command line. And the finding about a
        secret that moves, or that cannot: several of them, or one that would set nothing as a
        variable. A bare `--hf-token` and `--api-key ''` hold no secret.
    """
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    facts = {"origin": what, "variable": variable}
    if isinstance(one, str) and one.strip() not in NOTHING:
        return one, [finding("secret-moved", subject or what, **facts)]
    items = one if isinstance(one, list) else [one]
    if not any(isinstance(item, str) and item for item in items):
        return None, []
    case = "several" if isinstance(one, list) else "unsaid"
    return None, [finding("secret-on-argv", subject or what, case=case, **facts)]


def secrets_on(resolved: Resolved, catalog: Catalog, names: Iterable[str]) -> list[Finding]:
    """Return a warning for every secret of some flags that vLLM reads only from its command line:
    inside a JSON value or a URL. Secret flags have warnings of their own.
    """
    secrets, found = secrets_of(catalog.tables), []
    for name in names:
        value = resolved.values[name]
        if type(value) in _PLAIN or name in secrets.variables:
            continue
        if secrets.inside(plain(value)):
            origin = resolved.origins[name][0]
            facts = {"flag": name, "version": catalog.version}
            found.append(finding("secret-on-argv", origin.name, **facts).of(origin))
    return found
