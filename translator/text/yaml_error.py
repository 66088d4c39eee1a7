"""The error of every reader of YAML, apart from PyYAML, which takes long to import."""

from __future__ import annotations


class YamlError(ValueError):
    """A string is not YAML that is supported here; the message gives the reason in one line."""
