"""What fuzzing has found worth keeping (tests/fuzz/corpus), run again without a fuzzer: no law may
break. `python -m tests.fuzz` looks for more.
"""

from __future__ import annotations

import pytest
from fuzz import corpus
from fuzz.seeds import seeds
from fuzz.targets import TARGETS


@pytest.mark.parametrize("target", TARGETS)
def test_no_kept_input_breaks_a_law(target: str) -> None:
    """The smallest inputs that reach everything which a campaign has reached."""
    files = corpus.files(target)
    assert len(files) >= 10
    for path in files:
        try:
            TARGETS[target](path.read_bytes())
        except Exception as error:
            raise AssertionError(f"python -m tests.fuzz --target {target} --file {path}") from error


def test_the_kept_inputs_are_small() -> None:
    """They are read by people, and copied into every checkout."""
    sizes = [path.stat().st_size for target in TARGETS for path in corpus.files(target)]
    assert sum(sizes) < 200_000
    assert max(sizes) <= 4096


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_something_to_start_from(target: str) -> None:
    """From the golden cases and the tables; a few of them are run here."""
    first = list(seeds(target))
    assert len(first) > 10
    for data in first[:3]:
        TARGETS[target](data)
