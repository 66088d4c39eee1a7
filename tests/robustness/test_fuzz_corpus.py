"""What fuzzing has found worth keeping (tests/fuzz/corpus), run again without a fuzzer: no law may
break. `python -m tests.fuzz` looks for more.
"""

from pathlib import Path

import fuzz
import pytest
from fuzz.targets import TARGETS

CORPUS = Path(fuzz.__file__).parent / "corpus"


@pytest.mark.parametrize("target", TARGETS)
def test_no_kept_input_breaks_a_law(target: str) -> None:
    for path in sorted((CORPUS / target).iterdir()):
        try:
            TARGETS[target](path.read_bytes())
        except Exception as error:
            raise AssertionError(f"python -m tests.fuzz --target {target} --file {path}") from error
