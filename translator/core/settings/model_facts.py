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
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.settings import ModelConfig, Resolved
    from translator.core.settings.scope import Scope

    Content = Mapping[str, Any]  # of a config.json, or of its part for the text model

_MOST = 1 << 63
_DTYPES = ("dtype", "torch_dtype")
_QUANTIZED = ("quantization_config", "compression_config")


class ModelFacts:
    """The facts about the model of a start.

    Attributes:
        path: of the file, for messages.
        problem: the finding that nothing is known of it, or None.
    """

    def __init__(self, config: ModelConfig, resolved: Resolved, scope: Scope) -> None:
        tables, self.values = scope.tables, resolved.values
        self.path, self.beside, self.version = config.path, config.beside, scope.catalog.version
        self.keys, self.registry = tables.records(MODEL_KEYS), tables.records(ARCHITECTURES)
        overrides = self.values.get(self.keys["overrides"]) or {}
        is_plain = isinstance(overrides, dict) and dict not in map(type, overrides.values())
        self.overrides: Content = overrides if is_plain else {}
        self.content: Content = {**config.content, **self.overrides}
        names = self.content.get("architectures")
        names = [text for text in names if isinstance(text, str)] if isinstance(names, list) else []
        self.name = next(iter(names), "")
        self.says = self._registered()
        self.problem = self._problem(config, is_plain)
        if self.problem is not None:
            self.content = {}
        parts = (self.content.get(key) for key in self.keys["nested"])
        self.text: Content = next((part for part in parts if isinstance(part, dict)), self.content)
        names += [part.get("model_type") for part in (self.content, self.text)]
        self.kinds = {name for name in names if isinstance(name, str)}

    def _registered(self) -> Mapping[str, Any] | None:
        """Return what the registry says of the architecture; None if it has none of the name. What
        vLLM converts to another kind has what the model for texts has, less what depends on that.
        """
        name, is_told = self.name, any(map(self.values.get, self.keys["converts"]))
        ends = () if is_told else self.keys["converted"]
        bases = [name.removesuffix(end) + "ForCausalLM" for end in ends if name.endswith(end)]
        for each in (name, *bases):
            for since, until, facts in self.registry.get(each, ()):
                if within(self.version, since, until):
                    unknown = () if each == name else ("generative", "hybrid", "pooling")
                    return dict.fromkeys(facts.split(" "), True) | dict.fromkeys(unknown)
        return None

    def _problem(self, config: ModelConfig, is_plain: bool) -> Finding | None:
        """Return the finding that nothing is known of the model, or None."""
        model = str(self.values.get(MODEL, ""))
        is_own = "auto_map" in self.content or model.endswith(".gguf")
        is_elsewhere = any(map(self.values.get, self.keys["elsewhere"]))
        facts: dict[str, Fact] = {"file": config.path, "model": model}
        if config.problem:
            case, facts["problem"] = "unreadable", config.problem
        elif config.name and model and config.name != model:
            case, facts["name"] = "other", config.name
        elif not is_plain or is_own or is_elsewhere or (self.name and self.says is None):
            case, facts["kind"] = "unknown", self.name or str(self.content.get("model_type"))
        else:
            return None
        return finding("model-config", config.path, case=case, **facts)

    def value(self, name: str) -> Any:
        """Return a fact; None if it is not known."""
        if not self.content:
            return None
        if name in DERIVED:
            return DERIVED[name](self)
        if name in self.keys["number"]:
            return next(iter(self.numbers(name).values()), None)
        # An architecture has what the registry says, and nothing else.
        return self.says.get(name, False) if self.says is not None else None

    def numbers(self, name: str) -> dict[str, Any]:
        """Return the numbers that the file has for a name, by its keys in vLLM's order."""
        keys = self.keys["number"].get(name, ())
        keys = [key for key in keys if key in self.overrides] or keys
        default = self.keys["default"].get(name, {}).get(str(self.text.get("model_type")))
        numbers = {key: self.text[key] for key in keys if _is_number(self.text.get(key))}
        return numbers or ({keys[0]: default} if default else {})

    def about(self, names: Iterable[str]) -> dict[str, Fact]:
        """Return what a message says of the first of some facts that is no yes or no."""
        for name in (name.removeprefix("model.") for name in names if name[:6] == "model."):
            value = self.value(name)
            if value is not None and not isinstance(value, bool):
                return {"have": value, "key": next(iter(self.numbers(name)), "")}
        return {}

    def _is_of(self, kind: str) -> bool:
        return not self.kinds.isdisjoint(self.registry["@types"][kind])

    def moe(self) -> bool | None:
        return any(self.numbers("experts").values()) or (None if self._is_of("experts") else False)

    def mla(self) -> bool | None:
        return None if self.numbers("mla_rank") or self._is_of("latent") else False

    def drafts(self) -> bool | None:
        return None if self._is_of("drafts") else False

    def crosses(self) -> bool:
        return self._is_of("crosses") or bool(self.content.get("is_encoder_decoder"))

    def float32(self) -> bool:
        return self.content.get("model_type") in self.registry["@types"]["float32"]

    def bidirectional(self) -> bool | None:
        is_of_type = not self.kinds.isdisjoint(self.keys["bidirectional"])
        return True if is_of_type and self.value("generative") is False else None

    def dtype(self) -> Any:
        texts = (part.get(key) for part in (self.content, self.text) for key in _DTYPES)
        return next((text for text in texts if isinstance(text, str)), None)

    def quant(self) -> Any:
        part = self.content.get("quantization_config")
        return part.get("quant_method") if isinstance(part, dict) else None

    def quantized(self) -> bool:
        return any(part.get(key) for part in (self.content, self.text) for key in _QUANTIZED)

    def max_len(self) -> int | None:
        """Return the longest sequence that a model allows, in tokens; None if the file does not
        say, or another one may.
        """
        keys = self.keys
        lengths = (self.numbers("above") or self.numbers("length")).values()
        has_params = self.beside is None and not self.kinds.isdisjoint(keys["with_params"])
        is_replaced = any(name.startswith(keys["replaces"]) for name in self.beside or ())
        if not lengths or has_params or is_replaced:
            return None
        longest: Any = min(lengths)
        factors = [1.0]
        for kind, layer in self._scalings():
            if kind in keys["keeps"]:
                continue
            if kind not in keys["lengthens"]:
                return None
            last: str = keys["lengthens"][kind]
            factor: Any = layer.get("factor")
            is_unscaled = keys["unscaled"] in str(self.content.get("model_type"))
            if _is_number(factor) and not is_unscaled and within(self.version, None, last or None):
                factors.append(factor)
                longest = layer.get(keys["original"], longest) if last else longest
        return int(longest * max(factors)) if _is_number(longest) else None

    def _scalings(self) -> Iterator[tuple[str, Content]]:
        """Yield how RoPE is scaled, with its kind: of each sort of layers, or of all."""
        parts = (self.text[key] for key in self.keys["scaling"] if self.text.get(key))
        part: Any = next(parts, {})
        part = part if isinstance(part, dict) else {"type": "?"}  # of no kind that is known
        for layer in [layer for layer in part.values() if isinstance(layer, dict)] or [part]:
            yield str(layer.get("rope_type") or layer.get("type") or "default"), layer

    def default_len(self) -> int | None:
        """Return the longest sequence where the command line says nothing; None if the engine takes
        a shorter one for this kind of model, or a file of its tokenizer may say one for an encoder.
        """
        kinds = {*self.kinds, *(kind for kind, _ in self._scalings())}
        may_say = self.beside is None or self.keys["shortens"] in self.beside
        is_open = may_say and self.value("generative") is False
        return None if is_open or kinds & {*self.keys["shortened"]} else self.max_len()


# What a fact is found by beside a number or the registry.
DERIVED: Mapping[str, Callable[[ModelFacts], Any]] = {
    "bidirectional": ModelFacts.bidirectional,
    "crosses": ModelFacts.crosses,
    "default_len": ModelFacts.default_len,
    "drafts": ModelFacts.drafts,
    "dtype": ModelFacts.dtype,
    "float32": ModelFacts.float32,
    "max_len": ModelFacts.max_len,
    "mla": ModelFacts.mla,
    "moe": ModelFacts.moe,
    "quant": ModelFacts.quant,
    "quantized": ModelFacts.quantized,
}


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that a length can be: JSON has NaN and 1e999, too."""
    return is_number(value) and abs(value) < _MOST
