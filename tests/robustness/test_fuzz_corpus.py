"""What fuzzing has found worth keeping (tests/fuzz/corpus), run again without a fuzzer: no law may
break. `python -m tests.fuzz` looks for more.
"""

from __future__ import annotations

import pytest
from fuzz import corpus, laws, names
from fuzz.seeds import seeds
from fuzz.taker import MARKER, Taker, expand
from fuzz.targets import TARGETS

from translator import TranslationError, env_to_args
from translator.findings import finding


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


def test_inputs_stand_for_names_words_and_the_secret() -> None:
    """The bytes of an input that the fuzzer can change one by one."""
    taker = Taker(b"\x01\x02A=\x03\xff\x01\x00\x01B=\xfe\xff\x02\x00\x05x")
    assert (taker.byte(), taker.pick("abc")) == (1, "c")
    fields = [expand(field, ("ZERO", "ONE"), ("no", "yes", "maybe")) for field in taker.fields()]
    assert fields == [f"A={MARKER}", "ONEB=\udcfe", "maybex"]
    assert taker.byte() == 0
    words = names.dictionary()
    assert {"MAX_MODEL_LEN", "--max-model-len", "SLURM_NODEID", "VLLM_USE_V1", "bfloat16"} <= set(
        words
    )


def test_the_laws_can_break() -> None:
    """A secret in a finding, a line that cannot be printed, an error that was not raised, and
    time.
    """
    for bad in (
        finding("worker-only", "X", name="X", note=MARKER),
        finding("worker-only", "X", name="X", note="x" * 5000),
    ):
        with pytest.raises(laws.Broken):
            laws.fit([bad])

    class Done:
        findings = (finding("bad-bool", "X", given="no"),)

    with pytest.raises(laws.Broken, match="not raised"):
        laws.answer(Done)

    def refuses() -> None:
        raise TranslationError([finding("worker-only", "X", name="X")])

    with pytest.raises(laws.Broken, match="without an error"):
        laws.answer(refuses)
    assert (
        laws.answer(lambda: env_to_args({"MODEL_NAME": "m", "DTYPE": "fp9"}, vllm="0.33.0")) is None
    )
    with pytest.raises(ZeroDivisionError):
        laws.answer(lambda: 1 // 0)


def test_an_input_may_not_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "SECONDS", -1)
    with pytest.raises(laws.Broken, match="of CPU"):
        TARGETS["json"](b"{}")
