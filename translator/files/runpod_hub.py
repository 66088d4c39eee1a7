"""RunPod's `.runpod/hub.json`: the variables that its Hub sets for a worker, and their presets.

https://docs.runpod.io/hub/publishing-guide
"""

from __future__ import annotations

import re

from translator.files.command import Container, exceeded
from translator.findings import Finding, finding
from translator.text.placed import replaced
from translator.text.references import hole
from translator.text.yaml_nodes import entries, has_type, items, line_of, place_of, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml

    from translator.text.placed import Place
    from translator.text.references import Budget

# A secret of the user's account, which the platform fills in.
_SECRET = re.compile(r"\{\{[^{}\n]{1,200}\}\}")


def read_hub(document: yaml.Node, env: Mapping[str, str], budget: Budget) -> list[Container]:
    """Read the variables of a worker, as they are by default and with each preset; [] for any
    other document.
    """
    keys = entries(document)
    config = entries(keys.get("config")) or keys
    variables = [entries(item) for item in items(config.get("env"))]
    presets = [entries(item) for item in items(config.get("presets"))]
    if not any("key" in item for item in variables) and not any("defaults" in p for p in presets):
        return []
    about = [*keys.values(), *(item["key"] for item in variables if "key" in item)]
    if "title" in keys and not any("vllm" in scalar_text(node).lower() for node in about):
        return []  # variables of the same names start SGLang and other engines
    base = _Variables("the defaults", document)
    inputs: dict[str, dict[str, yaml.Node]] = {}
    for item in variables:
        if "key" not in item:
            continue
        name = str(scalar_text(item["key"]))
        inputs[name] = entries(item.get("input"))
        base.put(name, item.get("value", inputs[name].get("default")), item["key"], inputs[name])
    found = [base]
    copied = base.text()
    for preset in presets:
        if copied and not budget.take(copied, line_of(document)):
            found[-1].tell(exceeded(budget, found[-1].title))
            break
        title = scalar_text(preset["name"]) if "name" in preset else "a preset"
        made = _Variables(f"preset {title}", preset.get("defaults", document), base)
        for name, value in entries(preset.get("defaults")).items():
            made.put(name, value, value, inputs.get(name, {}))
        found.append(made)
    return [made.container() for made in found]


class _Variables:
    """The variables of a worker, with the findings about them."""

    def __init__(self, title: str, node: yaml.Node, base: _Variables | None = None) -> None:
        self.title, self._node = title, node
        self._env: dict[str, str] = {}
        self._places: dict[str, Place] = {}
        self._findings: dict[str, Finding] = {}
        if base is not None:
            self._env, self._places = dict(base._env), dict(base._places)
            self._findings = dict(base._findings)

    def put(
        self, name: str, value: yaml.Node | None, at: yaml.Node, form: Mapping[str, yaml.Node]
    ) -> None:
        """Set a variable to what the platform makes of a value; without one, it is not set, except
        where the form requires the user to enter it.
        """
        self._env.pop(name, None)
        self._places.pop(name, None)
        self._findings.pop(name, None)
        if value is None or has_type(value, "null"):
            if scalar_text(form.get("required")) == "true":
                self._places[name] = place_of(at)
            return
        self._places[name] = place_of(value)
        if not isinstance(value.value, str):
            shown = name
            self._findings[name] = finding(
                "bad-manifest",
                shown,
                case="hub",
                container=self.title,
                line=line_of(value),
                variable=shown,
            )
            return
        self._env[name] = replaced(_text(value, form), _SECRET, hole)

    def text(self) -> str:
        """Return what a preset adds to the input: the names and the values."""
        return "".join([*self._places, *self._env.values()])

    def tell(self, findings: list[Finding]) -> None:
        """Add findings about the whole."""
        self._findings.update((item.code, item) for item in findings)

    def container(self) -> Container:
        return Container(
            self.title,
            place_of(self._node),
            env=self._env,
            places=self._places,
            findings=list(self._findings.values()),
            is_vllm=True,
        )


def _text(value: yaml.Node, form: Mapping[str, yaml.Node]) -> str:
    """Return a value as the variable has it: of a boolean, what the form says for it; of a number,
    what JavaScript writes.
    """
    text = scalar_text(value)
    other = form.get(f"{text}Value") if text in ("true", "false") else None
    if other is not None:
        return scalar_text(other)
    whole, _, fraction = text.partition(".")
    is_whole = has_type(value, "float") and fraction and not fraction.strip("0")
    return whole if is_whole else text
