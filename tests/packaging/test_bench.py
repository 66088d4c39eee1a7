"""The chart of docs/performance.md is the one of the record that is kept."""

import json

from bench import chart, count_calls


def test_the_chart_is_that_of_the_record() -> None:
    """`python -m tests.bench --keep` writes both."""
    text = chart.PAGE.read_text(encoding="utf-8")
    assert chart.within(text, json.loads(chart.RECORD.read_text(encoding="utf-8"))) == text


def test_the_record_holds_what_is_promised() -> None:
    """Of an entrypoint and of the library, on the machine that it was made on."""
    record = json.loads(chart.RECORD.read_text(encoding="utf-8"))
    assert record["runs"] >= 20
    rows = {row["command"]: row for row in record["processes"]}
    exec_, to_args = rows["translate exec --dry-run"], rows["translate env-to-args"]
    assert exec_["to_bare"]["median"] <= 2.0
    assert to_args["to_bare"]["median"] <= 2.2
    assert max(exec_["to_rival"]["median"], to_args["to_rival"]["median"]) < 1
    assert max(exec_["kilobytes_above_bare"], to_args["kilobytes_above_bare"]) <= 6 * 1024
    calls = {row["call"]: row["microseconds"] for row in record["calls"]}
    # What RunPod's own builder takes for 55 variables.
    assert calls["env_to_args: 58 variables, 20 translate"] <= 51


def test_one_more_variable_is_a_short_way() -> None:
    """A dozen functions read a name for the first time; another dozen its value."""
    calls = count_calls.variable()
    assert len(calls.names) <= 30, calls.names
