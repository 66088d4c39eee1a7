"""vLLM's own variables: what the version reads, what is repaired, and what Kubernetes puts
there.
"""

import pytest
from support.dialects import refused
from support.made_up import catalog

from translator import env_to_args
from translator.core.env.vllm_variables import accepts, check, expectation, names_a_service
from translator.core.tables.catalog import Variable, shipped


def variable(line: str) -> Variable:
    name = line.split(" ")[0]
    found = catalog(env=(line,)).variable(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "good", "bad"),
    [
        ("V kind=int", ["1", "-1", " 7 ", "1_000"], ["", "x", "1.5", "true", "1k"]),
        ("V kind=bool-int", ["1", "0"], ["true", "yes", ""]),
        ("V kind=float", ["1", "0.5", "nan"], ["x", ""]),
        ("V kind=bool true:1|true", ["1", "true", "x", ""], []),
        ("V kind=str", ["", "anything"], []),
        ("V kind=json", ['{"a": 1}', "3"], ["{", "x", ""]),
        ("V kind=str choices:A|b", ["A", "b"], ["a", "B", "", " A"]),
        ("V kind=str choices:A|b fold=case", ["A", "a", "B"], ["c", " a"]),
        ("V kind=list choices:a|b", ["a", "a,b", " a , b", ""], ["c", "a,c"]),
        ("V kind=int also:auto not:0", ["auto", "1"], ["0", "x"]),
    ],
)
def test_what_the_real_table_reads(line: str, good: list[str], bad: list[str]) -> None:
    """By kind, choices, and the probes that were harvested."""
    for text in good:
        assert accepts(variable(line), text), text
    for text in bad:
        assert not accepts(variable(line), text), text


@pytest.mark.parametrize(
    ("line", "text", "passed", "code"),
    [
        ("V kind=bool-int", "1", "1", None), ("V kind=bool-int", "true", "1", "repaired-variable"), ("V kind=bool-int", "No", "0", "repaired-variable"),
        ("V kind=bool-int", "maybe", "maybe", "bad-variable"),
        ("V kind=int", "2k", "2000", "repaired-variable"), ("V kind=int", " 7 ", " 7 ", None), ("V kind=float", "x", "x", "bad-variable"),
        ("V kind=bool true:true|True", "true", "true", None),
        ("V kind=bool true:true|True", "1", "true", "repaired-variable"), ("V kind=bool true:1", "true", "1", "repaired-variable"),
        ("V kind=bool true:1", "yes", "1", "repaired-variable"),
        ("V kind=bool true:1|0|false", "false", "false", None), ("V kind=bool true:1|0", "0", "false", "repaired-variable"),
        ("V kind=str choices:DEBUG|INFO", "debug", "DEBUG", "repaired-variable"),
        ("V kind=str choices:a_b|c", "A-B", "a_b", "repaired-variable"), ("V kind=str choices:DEBUG|INFO", "DEBG", "DEBG", "bad-variable"),
        ("V kind=json", "{'a': True}", '{"a":true}', "repaired-variable"),
        ("V kind=str", "", "", None), ("V kind=str", "None", None, "empty-variable"), ("V kind=int", "", None, "empty-variable"),
        ("V kind=int", "None", None, "empty-variable"), ("V kind=bool true:1", "", "", None),
        ("V kind=list choices:a", "", "", None), ("V kind=str choices:a|b", "", None, "empty-variable"), ("V kind=json", " ", None, "empty-variable"),
        ("V kind=int also:auto", "auto", "auto", None),
    ],
)  # fmt: skip
def test_what_vllm_is_given_instead(
    line: str, text: str, passed: str | None, code: str | None
) -> None:
    """As it is, repaired where the intent is plain, left out where it is empty, an error where it
    would crash.
    """
    got, told = check("V", variable(line), text, "9.9.9")
    assert got == passed
    assert (told.code if told else None) == code
    if told is not None and code == "repaired-variable":
        assert told.hint == f"Write `V={passed}`."
        assert told.severity == "info"
    if got is not None and code != "bad-variable":
        assert accepts(variable(line), got)


def test_a_bad_value_is_named_with_what_was_expected() -> None:
    _, told = check("V", variable("V kind=str choices:DEBUG|INFO"), "DEBG", "9.9.9")
    assert told is not None
    assert told.facts["expected"] == "one of DEBUG, INFO"
    assert expectation(variable("V kind=list choices:a|b")) == "one of a, b (several with commas)"
    assert expectation(variable("V kind=bool-int")) == "0 or 1"


@pytest.mark.parametrize(
    ("name", "text", "link"),
    [
        ("VLLM_PORT", "tcp://10.0.0.1:8000", True), ("VLLM_PORT", "udp://10.0.0.1:1", True), ("VLLM_PORT", "8000", False),
        ("VLLM_SERVICE_HOST", "10.0.0.1", True), ("VLLM_SERVICE_PORT", "8000", True),
        ("VLLM_SERVICE_PORT_HTTP", "8000", True), ("VLLM_PORT_8000_TCP", "tcp://10.0.0.1:8000", True), ("VLLM_PORT_8000_TCP_ADDR", "10.0.0.1", True),
        ("VLLM_PORT_53_UDP_PROTO", "udp", True),
        ("VLLM_ROUTER_SERVICE_HOST", "10.0.0.1", True), ("VLLM_ROUTER_PORT", "tcp://10.0.0.1:80", True), ("VLLM_ROUTER_PORT_80_TCP_PORT", "80", True),
        ("VLLM_RPC_PORT", "5", False), ("VLLM_SERVICE_NAME", "x", False),
        ("VLLM_HOST_IP", "10.0.0.1", False), ("VLLM_MY_SERVICE_SERVICE_HOST", "1", True),
        ("VLLM_PORT_RANGE", "1-2", False), ("VLLM_PORT_8000", "1", False), ("VLLM_SERVICE", "x", False),
        ("VLLM_DP_MASTER_PORT", "8000", False), ("VLLM_PORT_RANGE_TCP", "8000", False), ("VLLM_BASE_URL", "tcp://x", False),
    ],
)  # fmt: skip
def test_service_links_are_known_by_their_pattern(name: str, text: str, link: bool) -> None:
    """A port that is a number is vLLM's own."""
    assert names_a_service(name, text) is link


def test_a_level_that_no_logging_knows_stops_vllm() -> None:
    """vLLM's table reads any text for it; its logging does not, in any version."""
    for vllm in shipped().versions():
        told = refused(env_to_args, {"MODEL_NAME": "m", "VLLM_LOGGING_LEVEL": "verbose"}, vllm=vllm)
        assert told == [("bad-variable", "VLLM_LOGGING_LEVEL")], vllm
        done = env_to_args({"MODEL_NAME": "m", "VLLM_LOGGING_LEVEL": "debug"}, vllm=vllm)
        level = done.env["VLLM_LOGGING_LEVEL"]
        told = [item.code for item in done.findings]
        assert (level, told) in (("debug", []), ("DEBUG", ["repaired-variable"])), vllm
