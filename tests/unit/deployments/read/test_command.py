"""Values that only the machine knows where a command runs."""

import pytest

from translator.core.argv.parser import parse
from translator.core.argv.rewriting import written
from translator.core.tables.catalog import shipped
from translator.deployments.read import filled
from translator.formats.references import hole, holes

CATALOG = shipped().catalog("0.19.1")
X = hole("$X")


@pytest.mark.parametrize(
    "line",
    [
        "X", "m --port X", "m --port=80X", "m -tp X", "m --max_model_len=X", "m --dtype X --seed 1", "m --kv-transfer-config {\"a\":X}",
        "m --gpu-memory-utilization X", "m X", "m X --seed 1 X", "m --enable-lora X", "m --X --seed 1", "m --served-model-name a X",
        "/models/X --trust-remote-code",
    ],
)  # fmt: skip
def test_everything_around_a_hole_is_read(line: str) -> None:
    tokens = line.replace("X", X).split(" ")
    for line in (tokens, ["vllm", "serve", *tokens]):
        done = filled(line, CATALOG)
        assert holes(done.tokens) == []
        rest = done.tokens[len(line) - len(tokens) :]
        assert parse(rest, CATALOG).findings == []
        assert "--seed" not in tokens or "--seed" in rest


@pytest.mark.parametrize(
    ("tokens", "code"),
    [
        (["m", "--prot", X], "unknown-flag"),
        (["m", f"--prot={X}"], "unknown-flag"),
        (["m", "--port", X, "--seed", "x"], "bad-integer"),
        (["m", "n", X], "stray-token"),
        (["m", f"--enable-lora={X}"], "unexpected-value"),
    ],
)
def test_a_hole_hides_no_mistake_beside_it(tokens: list[str], code: str) -> None:
    done = filled(tokens, CATALOG)
    assert [item.code for item in parse(done.tokens, CATALOG).findings] == [code]


def test_a_message_shows_what_was_written() -> None:
    done = filled(["m", "--port", X], CATALOG)
    assert [written(token) for token in done.tokens] == ["m", "--port", "$X"]
    assert ([token.hole for token in done.tokens], done.dropped) == ([False, False, True], False)
    assert filled(["m", X], CATALOG).dropped
