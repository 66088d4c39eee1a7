"""YAML as PyYAML's safe dumper writes it, without line folding; texts that must stay texts in every
YAML are quoted.
"""

from __future__ import annotations

from typing import Any

import yaml


class Quoted(str):
    """A text that is written in double quotes."""


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(
            flow, False
        )  # lists indented below their key, as Kubernetes manifests have them


def _quoted(dumper: yaml.SafeDumper, text: Quoted) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')


_Dumper.add_representer(Quoted, _quoted)


def dump(value: Any) -> str:
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        default_flow_style=False,
        allow_unicode=True,
        width=10**9,
    )
    return text
