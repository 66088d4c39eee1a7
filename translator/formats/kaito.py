"""Command lines as KAITO's `inference_config.yaml`.

KAITO's program writes each key of `vllm` and its value, as a text, as two tokens:
presets/workspace/inference/vllm/inference_api.py in https://github.com/kaito-project/kaito. So no
flag stands twice or has several values. The value of a switch becomes the only positional argument,
which nothing reads; a second one would stop vLLM.
"""

from __future__ import annotations

from translator.findings import finding
from translator.tables.entries import LAUNCHERS, MODEL
from translator.text.yaml_nodes import dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.formats.forms import CommandLine, Written
    from translator.tables.catalog import Catalog

FORM = "kaito"


def write_argv(line: CommandLine) -> Written:
    """Write the section `vllm`; what it cannot hold is left out, with a finding."""
    catalog = line.catalog
    if wrong := line.not_utf8(FORM):
        return "", wrong
    own = catalog.tables.records(LAUNCHERS)[FORM]["left"]
    (head, *groups), findings = line.public_groups(FORM)
    groups = [*([f"{MODEL}={token}"] for token in head[2:3]), *groups]
    section: dict[str, Any] = {}
    switches, unsaid, left = 0, [], []
    for group in groups:
        flag, given, text = group[0].partition("=")
        switches += not given
        if flag in own:
            left.append(flag)
        elif len(group) > 1 or not _fits(group[0], switches, catalog):
            unsaid.append(line.showing.option(flag))
        else:
            section[flag[2:]] = _scalar(text) if given else True
    findings += line.left_out(FORM, manifest=True)
    for case, flags in (("launcher", left), ("pairs", unsaid)):
        if flags:
            findings.append(
                finding("not-in-file", flags[0], case=case, flags=tuple(flags), format=FORM)
            )
    return dump({"vllm": section}), findings


def _fits(token: str, switches: int, catalog: Catalog) -> bool:
    """Return whether the parser reads a flag and its value alike as two tokens."""
    flag, given, text = token.partition("=")
    if given:  # argparse takes -1 for a value; vLLM's parser takes -0.5 for a dotted key
        return not text.startswith("-") or text[1:].isdecimal()
    entry = catalog.spellings().get(flag)
    return switches == 1 and entry is not None and entry[0].kind in ("switch", "toggle")


def _scalar(text: str) -> float | str:
    """Return a number whose text is the given one, or the text."""
    for number in (int, float):
        try:
            found = number(text)
        except ValueError:
            continue
        if str(found) == text:
            return found
    return text
