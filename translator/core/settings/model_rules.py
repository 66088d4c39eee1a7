"""What the engine refuses for one model: values that its config.json does not allow
(mappings/model_rules.toml). What the file does not say, and models that were never asked about, get
no verdict.
"""

from __future__ import annotations

from translator.core.findings import REFUSED, Finding, finding
from translator.core.tables.catalog import MODEL, MODEL_RULES
from translator.core.tables.records import ModelRule
from translator.core.tables.versions import within
from translator.core.values import assignment, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.core.settings import ModelConfig, Resolved
    from translator.core.settings.scope import Scope

    Content = Mapping[str, Any]  # of a config.json, or of its part for the text model

_OVERRIDES = "--hf-overrides"
_LENGTH = "--max-model-len"
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
    version, model = scope.catalog.version, str(values.get(MODEL, ""))
    about = {"file": config.path, "model": model}
    if config.problem:
        about |= {"problem": config.problem}
        return [finding("model-config", config.path, case="unreadable", **about)]
    if config.name and model and config.name != model:
        return [finding("model-config", config.path, case="other", name=config.name, **about)]
    content = _content(config, model, values, tables)
    if content is None:
        kind = str(config.content.get("model_type"))
        return [finding("model-config", config.path, case="unknown", kind=kind, **about)]
    inner = next((content[key] for key in tables["nested"] if key in content), None)
    text = inner if isinstance(inner, dict) else content
    findings = []
    for rule in map(ModelRule, tables["rule"]):
        value = values.get(rule.flag)
        is_other = resolved.has_hole(rule.flag) or rule.unless in env
        if value is None or is_other or not within(version, rule.since, rule.until):
            continue
        facts = _broken(rule, value, text, content, resolved, scope)
        if facts is None:
            continue
        origin = resolved.origins[rule.flag][0]
        number = origin.shown(assignment(origin.option, str(value)))
        given = number if value is not True else origin.name
        about = {"given": given, "version": version, "file": config.path, **facts}
        findings.append(finding(REFUSED, origin.name, case=rule.kind, **about).of(origin))
    return findings


def _content(
    config: ModelConfig, model: str, values: Mapping[str, Any], tables: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the file says, with the overrides of a flag; None if vLLM reads another file, or
    nothing is known of the model's family or of code of its own.
    """
    overrides = values.get(_OVERRIDES) or {}
    if not isinstance(overrides, dict) or dict in map(type, overrides.values()):
        return None
    is_known = str(config.content.get("model_type")) in tables["families"]
    is_own = "auto_map" in config.content or model.endswith(".gguf")
    if not is_known or is_own or any(values.get(flag) for flag in _ELSEWHERE):
        return None
    return {**config.content, **overrides}


def _broken(
    rule: ModelRule, value: Any, text: Content, content: Content, resolved: Resolved, scope: Scope
) -> dict[str, Any] | None:
    """Return the facts about a value that a rule refuses; None if nothing is known against it."""
    tables = scope.tables.records(MODEL_RULES)
    if rule.kind == "one-of":
        outer, _, inner = rule.keys[0].partition(".")
        part = content.get(outer)
        is_of = isinstance(part, dict) and part.get(inner) == rule.of
        return {"have": rule.of} if is_of and value not in rule.values else None
    numbers = {key: text[key] for key in rule.keys if _is_number(text.get(key))}
    if rule.kind == "present":
        is_dense = content.get("model_type") in tables["dense"]
        return {} if value and is_dense and not any(numbers.values()) else None
    if not (_is_number(value) and value):
        return None
    if rule.kind == "divides":
        key, number = next(iter(numbers.items()), ("", 0))
        return {"key": key, "have": number} if key and number % value else None
    if rule.kind == "at-most":
        longest = _length(text, content, scope)
        return {"have": longest} if longest is not None and value > longest else None
    if resolved.values.get(rule.beside or "") is not False:
        return None
    longest = resolved.values.get(_LENGTH) or _length(text, content, scope)
    is_less = _is_number(longest) and value < longest
    return {"have": longest, "flag": rule.beside} if is_less else None


def _length(text: Content, content: Content, scope: Scope) -> int | None:
    """Return the longest sequence that a model allows, in tokens; None if the file does not say."""
    tables = scope.tables.records(MODEL_RULES)
    rule = next(ModelRule(entry) for entry in tables["rule"] if entry["flag"] == _LENGTH)
    above = text.get(rule.above or "")
    numbers = [text[key] for key in rule.keys if _is_number(text.get(key))]
    if not (numbers or _is_number(above)):
        return None
    longest: Any = above if _is_number(above) else min(numbers)
    scaling: Any = next((text[key] for key in tables["scaling"] if text.get(key)), {})
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
    return is_number(value) and abs(value) < _MOST
