"""Older generations of a platform's program: which one is meant, and what it does not read."""

import pytest
from support.dialects import refused

from translator import args_to_env
from translator.core.settings.scope import older_generation, scope
from translator.core.tables.catalog import shipped
from translator.core.tables.dialects import generations, of_release, of_version


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ("1.1", "runpod@1.2"), ("1.9", "runpod@2.5"), ("1.9.0", "runpod@2.5"), ("2.20", "runpod@2.23"), ("2.20.0", "runpod@2.20"),
        ("2.24", "runpod@2.25"), ("2.25.2", "runpod@2.25"), ("2.26", "runpod"), ("2.28.0", "runpod"), ("2.99", "runpod"),
    ],
)  # fmt: skip
def test_a_release_belongs_to_a_generation(release: str, name: str) -> None:
    """By the first release of each; two numbers are the newest release that begins so."""
    assert of_release(f"runpod@{release}", shipped()) == name
    # and is a dialect like any other
    assert args_to_env(["m"], vllm="0.8.4", dialect=f"runpod@{release}").env == {"MODEL_NAME": "m"}


@pytest.mark.parametrize(
    "name", ["runpod@1.0", "runpod@0.3.2", "runpod@", "runpod@x", "lmi@1.9", "runpod@²"]
)
def test_a_release_before_the_first_is_no_dialect(name: str) -> None:
    assert of_release(name, shipped()) is None
    told = refused(args_to_env, ["m"], vllm="0.8.4", dialect=name)
    assert [code for code, _ in told] == ["unknown-dialect"]


@pytest.mark.parametrize(
    ("vllm", "name"),
    [
        ("0.5.2", "runpod@1.2"), ("0.6.4", "runpod@1.7"), ("0.8.5", "runpod@2.5"), ("0.20.2", "runpod@2.23"), ("0.25.1", "runpod@2.23"),
        ("0.26.0", "runpod@2.25"), ("0.27.1", "runpod@2.25"), ("0.28.0", None), ("0.33.0", None),
    ],
)  # fmt: skip
def test_a_version_is_run_by_a_generation(vllm: str, name: str | None) -> None:
    """The newest that ran it, or an older version; the oldest, where none did. 2.25 reads all that
    is written for its vLLM: nothing is written beside.
    """
    assert of_version("runpod", vllm, shipped()) == name
    older = older_generation(scope(vllm, "runpod", {}, shipped())[0])
    assert (older.name if older is not None else None) == (None if name == "runpod@2.25" else name)
    for other in ("sagemaker", "runpod@2.5", "runpod@2.25"):
        assert older_generation(scope(vllm, other, {}, shipped())[0]) is None


def test_generations_are_in_one_order() -> None:
    """Of releases and of vLLM alike, or a version would belong to two of them."""
    found = generations("runpod", shipped())
    assert [vllm for _, vllm, _ in found] == sorted(vllm for _, vllm, _ in found)
    assert len({release for release, _, _ in found}) == len(found) > 5
    assert generations("lmi", shipped()) == []
