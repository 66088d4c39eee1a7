"""How the quick suite runs: no vLLM, two minutes on two idle cores; longer on busy ones, but it passes.

    python -m pytest tests --ignore=tests/real                the quick suite
    TRANSLATE_EXAMPLES=1 python -m pytest tests/laws           with all examples of the laws, not a
    quarter of them, as .ci/run does (40: with forty times as many)

The examples of hypothesis are the same ones on every run, so that what fails does so because of a
change; with more than all, they are others every time. Laws that try every flag, in every version
or dialect, try a share of the values of each, every time others (support/examples.py).
"""

from hypothesis import HealthCheck, settings
from support.examples import TIMES

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "search",
    max_examples=max(1, round(50 * min(TIMES, 1))),
    deadline=None,
    suppress_health_check=CHECKS,
)
settings.register_profile(
    "quick", settings.get_profile("search"), derandomize=True, database=None, print_blob=True
)
settings.load_profile("search" if TIMES > 1 else "quick")
