"""What is known of a model, by its config.json and by what vLLM's registry says of its architecture
(mappings/architectures.toml). What neither says is not known.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.tables.catalog import ARCHITECTURES, MODEL, MODEL_KEYS
from translator.core.tables.versions import within
from translator.core.values import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.settings import ModelConfig, Resolved
    from translator.core.settings.scope import Scope

    Content = Mapping[str, Any]  # of a config.json, or of its part for the text model

_MOST = 1 << 63


class ModelFacts:
    """The facts about the model of a start.

    Attributes:
        path: of the file, for messages.
        problem: the finding that nothing is known of it, or None.
    """

    def __init__(self, config: ModelConfig, resolved: Resolved, scope: Scope) -> None:
        self.path, self.version = config.path, scope.catalog.version
        self.keys = scope.tables.records(MODEL_KEYS)
        self.content: Content = {}
        self.problem: Finding | None = None
        values, model = resolved.values, str(resolved.values.get(MODEL, ""))
        overrides = values.get(self.keys["overrides"]) or {}
        is_plain = isinstance(overrides, dict) and dict not in map(type, overrides.values())
        content = {**config.content, **(overrides if is_plain else {})}
        architecture = next(iter(_texts(content.get("architectures"))), "")
        registry = scope.tables.records(ARCHITECTURES)
        spans, self.types = registry.get(architecture, ()), registry["@types"]
        said = [facts for since, until, facts in spans if within(self.version, since, until)]
        self.says: list[str] | None = said[0].split(" ") if said else None
        is_own = "auto_map" in content or model.endswith(".gguf")
        elsewhere = any(values.get(flag) for flag in self.keys["elsewhere"])
        about = {"file": config.path, "model": model}
        if config.problem:
            about |= {"problem": config.problem}
            self.problem = finding("model-config", config.path, case="unreadable", **about)
        elif config.name and model and config.name != model:
            about |= {"name": config.name}
            self.problem = finding("model-config", config.path, case="other", **about)
        elif not is_plain or is_own or elsewhere or (architecture and self.says is None):
            kind = architecture or str(content.get("model_type"))
            self.problem = finding("model-config", config.path, case="unknown", kind=kind, **about)
        else:
            self.content = content
        inner = next((content[key] for key in self.keys["nested"] if key in content), None)
        self.text = inner if isinstance(inner, dict) and self.content else self.content
        self.overrides: Content = overrides if is_plain else {}
        self.kinds = {part.get("model_type") for part in (self.content, self.text)}
        self.kinds |= {*_texts(self.content.get("architectures"))}
        self.has_params = config.is_alone and not self.kinds.isdisjoint(self.keys["with_params"])

    def value(self, name: str) -> Any:
        """Return a fact; None if it is not known."""
        if not self.content:
            return None
        if name in self.keys["number"]:
            return next(iter(self.numbers(name).values()), None)
        if name in DERIVED:
            return DERIVED[name](self)
        # An architecture has what the registry says, and nothing else.
        return name in self.says if self.says is not None else None

    def numbers(self, name: str) -> dict[str, Any]:
        """Return the numbers that the file has for a name, by its keys in vLLM's order."""
        keys = self.keys["number"][name]
        keys = [key for key in keys if key in self.overrides] or keys
        default = self.keys["default"].get(name, {}).get(self.text.get("model_type"))
        numbers = {key: self.text[key] for key in keys if _is_number(self.text.get(key))}
        return numbers or ({keys[0]: default} if default else {})

    def about(self, names: Iterable[str]) -> dict[str, Fact]:
        """Return what a message says of the first of some facts that is no yes or no."""
        for name in (name.removeprefix("model.") for name in names if name[:6] == "model."):
            value = self.value(name)
            if value is not None and not isinstance(value, bool):
                numbers = self.numbers(name) if name in self.keys["number"] else {}
                return {"have": value, "key": next(iter(numbers), "")}
        return {}

    def _is_of(self, kind: str) -> bool:
        return not self.kinds.isdisjoint(self.types[kind])

    def moe(self) -> bool | None:
        return (
            True
            if any(self.numbers("experts").values())
            else None
            if self._is_of("experts")
            else False
        )

    def mla(self) -> bool | None:
        return None if self.numbers("mla_rank") or self._is_of("latent") else False

    def drafts(self) -> bool | None:
        return None if self._is_of("drafts") else False

    def crosses(self) -> bool:
        return self._is_of("crosses") or bool(self.content.get("is_encoder_decoder"))

    def float32(self) -> bool:
        return self._is_of("float32")

    def dtype(self) -> Any:
        places = [
            (part, key) for part in (self.content, self.text) for key in ("dtype", "torch_dtype")
        ]
        return next((part[key] for part, key in places if isinstance(part.get(key), str)), None)

    def quant(self) -> Any:
        part = self.content.get("quantization_config")
        return part.get("quant_method") if isinstance(part, dict) else None

    def max_len(self) -> int | None:
        """Return the longest sequence that a model allows, in tokens; None if the file does not
        say."""
        keys, text = self.keys, self.text
        above = text.get(keys["above"])
        numbers = self.numbers("length")
        if not (numbers or _is_number(above)) or self.has_params:
            return None
        longest: Any = above if _is_number(above) else min(numbers.values())
        scaling: Any = next((text[key] for key in keys["scaling"] if text.get(key)), {})
        if not isinstance(scaling, dict):
            return None
        layers: list[Content] = [it for it in scaling.values() if isinstance(it, dict)] or [scaling]
        factors = [1.0]
        for layer in layers:
            kind = str(layer.get("rope_type") or layer.get("type") or "default")
            last = keys["lengthens"].get(kind)
            if last is None and kind not in keys["keeps"]:
                return None
            is_kept = last is None or not within(self.version, None, last or None)
            factor: Any = layer.get("factor")
            if (
                not is_kept
                and _is_number(factor)
                and keys["unscaled"] not in str(self.content.get("model_type"))
            ):
                factors.append(factor)
                longest = layer.get(keys["original"], longest) if last else longest
        return int(longest * max(factors))


DERIVED: Mapping[str, Callable[[ModelFacts], Any]] = {
    "moe": ModelFacts.moe,
    "mla": ModelFacts.mla,
    "drafts": ModelFacts.drafts,
    "crosses": ModelFacts.crosses,
    "float32": ModelFacts.float32,
    "dtype": ModelFacts.dtype,
    "quant": ModelFacts.quant,
    "max_len": ModelFacts.max_len,
}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that a length can be: JSON has NaN and 1e999, too."""
    return is_number(value) and abs(value) < _MOST
