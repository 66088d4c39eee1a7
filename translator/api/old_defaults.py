"""What a move to another version changes although nobody set it: the defaults."""

from __future__ import annotations

from translator.env.slots import variable_for
from translator.findings import Finding, finding
from translator.settings.defaults import changed_defaults
from translator.text.quoting import quote
from translator.values.tokens import tokens
from translator.values.variables import variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.naming.scope import Scope
    from translator.settings.defaults import ChangedDefault
    from translator.settings.setting import Assembled

_SHOWN = 3  # of the defaults that are not in the table


class OldDefaults:
    """The defaults of one version that are others in the version of a target.

    Attributes:
        findings: one for each that matters, and one for all others.
        values: flag → its old default; empty unless they are to be kept.
        env: the same of variables.
    """

    __slots__ = ("env", "findings", "values")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.values: dict[str, object] = {}
        self.env: dict[str, str] = {}


def old_defaults(
    done: Assembled, source: Scope, target: Scope, *, in_variables: bool, keep: bool = False
) -> OldDefaults:
    """Return what changes for settings that the user did not make.

    Args:
        done: the settings, for the target.
        source: the version that they were made for.
        target: the version to move to.
        in_variables: whether remedies are variables; otherwise they are flags.
        keep: whether the old defaults are set, where the target can.
    """
    found = OldDefaults()
    if source.catalog is target.catalog:
        return found
    changed = [
        item
        for item in changed_defaults(source.catalog, target.catalog)
        if item.name not in done.values and item.name not in done.env
    ]
    others = [item.name for item in changed if not item.effect and item.is_known]
    versions = {"other": source.catalog.version, "version": target.catalog.version}
    for item in changed:
        if not item.effect:
            continue
        write = _written(item, target, in_variables)
        name = write.partition("=")[0] if in_variables and write else item.name
        facts = {"name": name, "before": item.before, "after": item.after, **versions}
        if not keep or not write:
            facts["effect"] = item.effect
            found.findings.append(finding("default-changed", name, **facts, write=write))
            continue
        found.findings.append(finding("default-changed", name, case="kept", **facts, write=write))
        if item.name.startswith("-"):
            found.values[item.name] = item.old
        else:
            found.env[item.name] = item.old
    if others:
        case = "one" if len(others) == 1 else "others"
        names = tuple(others[:_SHOWN])
        found.findings.append(
            finding(
                "default-changed", "vllm", case=case, count=len(others), names=names, **versions
            )
        )
    return found


def with_old_defaults(done: Assembled, found: OldDefaults, source: Scope) -> Assembled:
    """Set the defaults that are to be kept."""
    for name, value in found.values.items():
        done.values[name] = value
        done.origins[name] = [f"{name} (the default of vLLM {source.catalog.version})"]
    done.env.update(found.env)
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
