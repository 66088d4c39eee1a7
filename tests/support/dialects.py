"""What the translations find and set, in short."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from translator import Finding, TranslationError, env_to_args
from translator.core.argv.reader import SERVER, settle_argv
from translator.core.findings import prevents
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped


def codes(findings: Iterable[Finding], *, subject: str = "") -> set[str]:
    """The codes, of everything or of one subject."""
    return {item.code for item in findings if not subject or item.subject == subject}


def refused(call: Callable[..., object], *given: Any, **named: Any) -> list[tuple[str, str]]:
    """The errors for which a call is refused, as (code, subject)."""
    with pytest.raises(TranslationError) as caught:
        call(*given, **named)
    return [(item.code, item.subject) for item in caught.value.findings if item.severity == "error"]


def subjects(findings: Iterable[Finding], code: str) -> set[str]:
    """The names that the findings of a code are about."""
    return {name for item in findings if item.code == code for name in item.subject.split(", ")}


def told(dialect: str, version: str = "0.27.1", /, **env: str) -> set[tuple[str, str]]:
    """The findings that say where the dialect's own program differs, as (code, subject)."""
    found = env_to_args(env, vllm=version, dialect=dialect).findings
    return {
        (item.code, item.subject)
        for item in found
        if item.code in ("platform-differs", "unknown-variable", "misspelt-variable")
    }


def settings(argv: list[str], version: str, *, module: bool = False) -> dict[str, Any]:
    """What our grammar reader makes of a command line; it is held against the real parser
    elsewhere.
    """
    here = scope(version, "runpod", {}, shipped())[0]
    program = ["python", "-m", SERVER] if module else ["vllm", "serve"]
    done = settle_argv([*program, *argv], here)
    assert not prevents(done.findings), argv
    return done.values
