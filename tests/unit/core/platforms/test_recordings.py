"""A platform's function makes of variables what the platform's own program has been seen to make of
them: tests/cases/programs, recorded by tests/real/recordings.py.
"""

import pytest
from support import recordings

from translator.core.platforms import run
from translator.core.platforms.programs import PROGRAMS
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped


@pytest.mark.parametrize("dialect", recordings.names())
def test_the_function_does_what_the_program_did(dialect: str) -> None:
    here = scope(recordings.read(dialect)["vllm"], dialect, {}, shipped())[0]
    for env, tokens, stops in recordings.runs(dialect):
        outcome = run(PROGRAMS[here.consumer.program], env, here)
        if stops:
            assert [stop.variable for stop in outcome.stops if stop.variable in stops], env
        else:
            texts = [token.text for token in outcome.tokens if token.text is not None]
            assert outcome.stops == [], env
            assert recordings.in_order(dialect, texts) == recordings.in_order(dialect, tokens), env
