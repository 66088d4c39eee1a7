"""What measures time runs only where it is named, `pytest tests/growth`: the quick suite shall pass
on a machine that is busy with something else, too.
"""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    named = any(Path(__file__).parent.name in Path(each).parts for each in config.args)
    return None if named else True
