"""The Gaudi container's own rules, written down here once more from its script."""

from __future__ import annotations

import itertools

import pytest
from support.consumers import tokens_for
from support.dialects import settings, told

from translator import env_to_args

LISTED = "Qwen/Qwen3-0.6B"  # one of the models that the container knows


@pytest.mark.parametrize(
    "extra",
    [
        "",
        "--enable-prefix-caching",
        "--no-enable-prefix-caching",
        "--async-scheduling",
        "--no-async-scheduling --seed 3",
    ],
)
def test_what_gaudi_puts_behind_the_further_tokens_wins_over_them(extra: str) -> None:
    """Without a variable that keeps it away, EXTRA_ARGS says nothing of these two flags."""
    for caching, scheduling in itertools.product(
        (None, "True", "1", "yes", "False", "0"), (None, "0", "1", "2", "007", "00", "true")
    ):
        given = {"ENABLE_PREFIX_CACHING": caching, "ASYNC_SCHEDULING": scheduling}
        given = {"MODEL": LISTED, "EXTRA_ARGS": extra, **given}
        overrules({name: text for name, text in given.items() if text})


def overrules(env: dict[str, str]) -> None:
    """What our reader makes of it is what the container does; and it is told where EXTRA_ARGS lost."""
    extra = env.get("EXTRA_ARGS", "")
    try:
        theirs = tokens_for("gaudi", env)
    except ValueError:  # the stand-in reads a number; the shell's own test says no to a text
        theirs = tokens_for("gaudi", {**env, "ASYNC_SCHEDULING": "0"})
    assert theirs is not None
    wanted = settings(theirs, "0.27.1")
    made = env_to_args(env, vllm="0.27.1", dialect="gaudi")
    found = settings(made.argv[2:], "0.27.1")
    for name, behind in (("--enable-prefix-caching", False), ("--async-scheduling", True)):
        assert found.get(name, wanted.get(name)) == wanted.get(name)
        overruled = (
            name.removeprefix("--") in extra
            and ("no-" not in extra) is not behind
            and wanted[name] is behind
        )
        assert overruled == (
            ("consumer-differs", "EXTRA_ARGS") in told("gaudi", **env)
            and name.removeprefix("--") in extra
        )
