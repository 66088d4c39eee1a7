"""Rules for charts.toml: what the templates write is vLLM's."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.sources import CHARTS, Problem


def flags_exist(context: Context) -> Iterator[Problem]:
    """Each flag exists in some version, or switches one off."""
    found = context.tables.charts
    known = {
        name
        for catalog in context.catalogs
        for flag in catalog.flags
        for name in (flag.flag, *flag.aliases, *flag.negations)
    }
    for number, chart in enumerate(found.chart if found is not None else ()):
        tokens = [("$.start", token) for token in chart.start]
        for index, argument in enumerate(chart.argument):
            place = f"$.argument[{index}]"
            tokens += [(place, token) for token in (*argument.tokens, *argument.otherwise)]
        for place, token in tokens:
            if token.startswith("--") and token not in known:
                yield Problem(
                    CHARTS, f"$.chart[{number}]{place[1:]}", f"no vLLM has a flag {token}"
                )


def names_once(context: Context) -> Iterator[Problem]:
    """A chart, or template of one, stands once in the file."""
    found = context.tables.charts
    seen: set[str] = set()
    for chart in found.chart if found is not None else ():
        if chart.name in seen:
            yield Problem(CHARTS, "$.chart", f"{chart.name} stands twice")
        seen.add(chart.name)


RULES = (flags_exist, names_once)
