"""Law 7: spoilt command lines have an error exactly where the real parser refuses them, by the
record of its answers (`python -m tests.real.record_files`); tests/real asks about many more.
"""

import shlex

import pytest

from laws.strategies import SPOILT
from translator import check


@pytest.mark.parametrize("version", SPOILT)
def test_an_error_is_what_the_real_parser_refuses(version: str) -> None:
    for line, accepted in SPOILT[version].items():
        findings = check(["vllm", "serve", *shlex.split(line)], version)
        errors = {item.code for item in findings if item.severity == "error"}
        assert (errors <= {"refused-at-start"}) == accepted, (line, errors)
