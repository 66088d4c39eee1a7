"""What the engine refuses for one model: values that its config.json does not allow
(mappings/model_rules.toml). What the file does not say, and models that were never asked about, get
no verdict.
"""

from __future__ import annotations

from translator.core.findings import REFUSED, Finding, finding
from translator.core.tables.catalog import MODEL, MODEL_RULES
from translator.core.tables.records import ModelRule
from translator.core.tables.versions import within
from translator.core.values import assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.core.settings import ModelConfig, Resolved
    from translator.core.settings.scope import Scope

_OVERRIDES = "--hf-overrides"
# With these, vLLM reads another file.
_ELSEWHERE = ("--hf-config-path", "--config-format", "--revision")
_MOST = 1 << 63


def about_model(
    config: ModelConfig, env: Mapping[str, str], resolved: Resolved, scope: Scope
) -> list[Finding]:
    """Return the findings about flags that a model's config.json does not allow, or one that
    nothing can be said.
    """
    tables, values = scope.tables.records(MODEL_RULES), resolved.values
    version, content = scope.catalog.version, {**config.content}
    overrides = values.get(_OVERRIDES)
    kind, model = str(content.get("model_type")), str(values.get(MODEL, ""))
    about = {"file": config.path, "model": model}
    if config.problem:
        about |= {"problem": config.problem}
        return [finding("model-config", config.path, case="unreadable", **about)]
    if config.name and model and config.name != model:
        return [finding("model-config", config.path, case="other", name=config.name, **about)]
    is_own = "auto_map" in content or model.endswith(".gguf")
    is_known = kind in tables["families"] and not is_own
    if isinstance(overrides, dict) and not any(isinstance(it, dict) for it in overrides.values()):
        content |= overrides
    elif overrides:
        is_known = False
    if not is_known or any(values.get(flag) for flag in _ELSEWHERE):
        return [finding("model-config", config.path, case="unknown", kind=kind, **about)]
    inner = next((content[key] for key in tables["nested"] if key in content), None)
    text = inner if isinstance(inner, dict) else content
    found = []
    for rule in map(ModelRule, tables["rule"]):
        value = values.get(rule.flag)
        is_other = resolved.has_hole(rule.flag) or rule.unless in env
        if value is None or is_other or not within(version, rule.since, rule.until):
            continue
        for facts in _broken(rule, value, text, content, resolved, scope):
            origin = resolved.origins[rule.flag][0]
            number = origin.shown(assignment(origin.option, str(value)))
            given = number if value is not True else origin.name
            about = {"given": given, "version": version, "file": config.path, **facts}
            found.append(finding(REFUSED, origin.name, case=rule.kind, **about).of(origin))
    return found


def _broken(
    rule: ModelRule,
    value: Any,
    text: Mapping[str, Any],
    content: Mapping[str, Any],
    resolved: Resolved,
    scope: Scope,
) -> Iterator[dict[str, Any]]:
    """Yield the facts about a value that a rule refuses."""
    tables = scope.tables.records(MODEL_RULES)
    there = {key: text[key] for key in rule.keys if _is_number(text.get(key))}
    key = next(iter(there), "")
    if rule.kind == "divides" and key and _is_number(value) and there[key] % value:
        yield {"key": key, "have": there[key]}
    elif rule.kind == "present" and value and not any(there.values()):
        if content.get("model_type") in tables["dense"]:
            yield {}
    elif rule.kind == "one-of":
        outer, _, inner = rule.keys[0].partition(".")
        part = content.get(outer)
        if isinstance(part, dict) and part.get(inner) == rule.of and value not in rule.values:
            yield {"have": rule.of}
    elif rule.kind == "at-most" and _is_number(value):
        longest = length(rule, text, content, scope)
        if longest is not None and value > longest:
            yield {"have": longest}
    elif rule.kind == "at-least" and resolved.values.get(rule.beside or "") is False:
        lengths = next(ModelRule(it) for it in tables["rule"] if it["kind"] == "at-most")
        longest = resolved.values.get(lengths.flag) or length(lengths, text, content, scope)
        if _is_number(longest) and _is_number(value) and value < longest:
            yield {"have": longest, "flag": rule.beside}


def length(
    rule: ModelRule, text: Mapping[str, Any], content: Mapping[str, Any], scope: Scope
) -> int | None:
    """Return the longest sequence that a rule allows, in tokens; None if the file does not say."""
    tables = scope.tables.records(MODEL_RULES)
    above = text.get(rule.above or "")
    numbers = [text[key] for key in rule.keys if _is_number(text.get(key))]
    if not (numbers or _is_number(above)):
        return None
    longest: Any = above if _is_number(above) else min(numbers)
    scaling: Any = next((text[it] for it in tables["scaling"] if text.get(it)), {})
    if not isinstance(scaling, dict):
        return None
    layers: list[Mapping[str, Any]] = [
        item for item in scaling.values() if isinstance(item, dict)
    ] or [scaling]
    factors = [1.0]
    for layer in layers:
        kind = str(layer.get("rope_type") or layer.get("type") or "default")
        last = tables["lengthens"].get(kind)
        if last is None and kind not in tables["keeps"]:
            return None
        is_kept = last is None or not within(scope.catalog.version, None, last or None)
        factor: Any = layer.get("factor")
        if not is_kept and _is_number(factor) and "gemma3" not in str(content.get("model_type")):
            factors.append(factor)
            longest = layer.get(tables["original"], longest) if last else longest
    return int(longest * max(factors))


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that a length can be: JSON has NaN and 1e999, too."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) < _MOST
