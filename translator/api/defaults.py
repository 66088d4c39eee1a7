"""Settings that the user did not make: a platform's, and the defaults that another version has."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.naming.scope import variable_for
from translator.settings.setting import Assembled
from translator.text.quoting import quote
from translator.values.tokens import tokens
from translator.values.variables import variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.naming.scope import Scope
    from translator.settings.defaults import ChangedDefault


_SHOWN = 3  # of the defaults that are not in the table


def old_defaults(
    done: Assembled, source: Scope, target: Scope, *, in_variables: bool, keep: bool = False
) -> tuple[list[Finding], list[ChangedDefault]]:
    """Return what changes for settings that the user did not make.

    Args:
        done: the settings, for the target.
        source: the version that they were made for.
        target: the version to move to.
        in_variables: whether remedies are variables; otherwise they are flags.
        keep: whether the old defaults are set, where the target can.

    Returns:
        A finding for each default that matters, and one for all others; and those to set.
    """
    if source.catalog is target.catalog:
        return [], []
    from translator.settings.defaults import changed_defaults

    changed = [
        item
        for item in changed_defaults(source.catalog, target.catalog)
        if item.name not in done.values and item.name not in done.env
    ]
    findings: list[Finding] = []
    kept: list[ChangedDefault] = []
    versions = {"other": source.catalog.version, "version": target.catalog.version}
    for item in changed:
        if not item.effect:
            continue
        write = _written(item, target, in_variables)
        name = write.partition("=")[0] if in_variables and write else item.name
        facts = {"name": name, "before": item.before, "after": item.after, **versions}
        if keep and write:
            kept.append(item)
            told = finding("default-changed", name, case="kept", **facts, write=write)
        else:
            told = finding("default-changed", name, **facts, effect=item.effect, write=write)
        findings.append(told)
    others = [item.name for item in changed if not item.effect and item.is_known]
    if others:
        count, names = len(others) if len(others) > 1 else "", tuple(others[:_SHOWN])
        told = finding(
            "default-changed", "vllm", case="others", count=count, names=names, **versions
        )
        findings.append(told)
    return findings, kept


def with_old_defaults(done: Assembled, kept: list[ChangedDefault], source: Scope) -> Assembled:
    """Set the defaults that are to be kept."""
    for item in kept:
        if item.name.startswith("-"):
            done.values[item.name] = item.old
            done.origins[item.name] = [
                f"{item.name} (the default of vLLM {source.catalog.version})"
            ]
        else:
            done.env[item.name] = item.old
    return done


def _written(item: ChangedDefault, target: Scope, in_variables: bool) -> str:
    """Return how a user writes an old default; "" if the target cannot set it."""
    flag = target.catalog.flag(item.name)
    if item.old is None:
        return ""
    if flag is None:
        return f"{item.name}={item.old}"
    if not in_variables:
        return " ".join(map(quote, tokens(flag, item.old)))
    name, text = variable_for(flag, target), variable_text(flag, item.old)
    return f"{name}={text}" if name is not None and text is not None else ""
