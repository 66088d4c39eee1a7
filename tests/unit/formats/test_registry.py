"""The registry of the formats."""

from __future__ import annotations

from translator.formats import forms, registry


def test_every_named_format_has_its_functions() -> None:
    """The names stand apart, because a start loads no function that it does not use."""
    assert set(registry.ARGV_WRITERS) == set(forms.ARGV_FORMATS)
    assert set(registry.ENV_WRITERS) == set(forms.ENV_FORMATS)
    assert set(registry.ENV_READERS) == set(forms.ENV_FILE_FORMATS)
    assert set(forms.ENV_FILE_ENDINGS.values()) <= set(forms.ENV_FILE_FORMATS)
