"""The quick suite passes on a machine that is busy with something else."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
ELSEWHERE = {"bench", "browser", "fuzz", "growth", "real", "support"}
TIME = re.compile(
    r"\btime\.(time|monotonic|perf_counter|process_time|thread_time)\(|\bset(rlimit|itimer)\b|\bsignal\.alarm\b|\bgrowth\.measure\b|SIGALRM|TooLong"
)


def test_no_test_measures_time() -> None:
    """That is what tests/growth and tests/bench are for."""
    assert [
        str(path)
        for path in TESTS.rglob("*.py")
        if path.relative_to(TESTS).parts[0] not in ELSEWHERE
        and path != Path(__file__)
        and TIME.search(path.read_text())
    ] == []
