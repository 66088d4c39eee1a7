"""Rules for charts.toml: what the templates write is vLLM's."""

from __future__ import annotations

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.model.programs import Charts


@rule_for("charts")
def flags_exist(charts: Charts, context: Context) -> Wrong:
    """Each flag exists in some version, or switches one off."""
    for number, chart in enumerate(charts.chart):
        tokens = [("start", token) for token in chart.start]
        for index, argument in enumerate(chart.argument):
            written = (*argument.tokens, *argument.otherwise)
            tokens += [(f"argument[{index}]", token) for token in written]
        for place, token in tokens:
            if token.startswith("--") and token not in context.spellings:
                yield f"$.chart[{number}].{place}", f"no vLLM has a flag {token}"


@rule_for("charts")
def names_once(charts: Charts, _: Context) -> Wrong:
    """A chart, or template of one, stands once in the file."""
    for name in twice(chart.name for chart in charts.chart):
        yield "$.chart", f"{name} stands twice"


RULES = (flags_exist, names_once)
