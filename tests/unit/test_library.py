"""The public calls beside the two translations."""

import copy
import doctest
import pickle
import sys
import typing
from collections.abc import Callable
from pathlib import Path

import pytest

import translator
from translator import (
    Finding,
    Tables,
    TablesError,
    Translation,
    TranslationError,
    Variables,
    args_to_env,
    check,
    check_file,
    convert,
    dialects,
    diff,
    env_to_args,
    explain,
    flags,
    library,
    translations,
    versions,
)

ACME = """
[dialect]
name = "acme"
reader = "Acme's image"
sources = ["https://acme.example/llm"]
prefix = "ACME_"
[[variable]]
name = "ACME_CONTEXT"
role = "flag"
flag = "--max-model-len"
"""


def test_the_examples_of_the_docstrings() -> None:
    for module in (translator, library, translations):
        assert doctest.testmod(module, extraglobs=vars(translator)).failed == 0


def test_what_is_converted_has_its_class() -> None:
    """Variables, a command line, and that to variables of another platform."""
    argv = ["vllm", "serve", "m", "--task", "embed"]
    assert isinstance(convert({"MODEL_NAME": "m"}, "0.8.5", "0.33.0"), Variables)
    done = convert(argv, "0.12.0", "0.33.0")
    assert isinstance(done, Translation)
    assert done.argv == ["vllm", "serve", "m", "--convert=embed", "--runner=pooling"]
    there = convert(argv, "0.12.0", "0.33.0", to_dialect="sagemaker", to_variables=True)
    assert isinstance(there, Variables)
    assert there.env["SM_VLLM_RUNNER"] == "pooling"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="typing.get_overloads is new in 3.11")
def test_the_type_of_a_conversion_is_known() -> None:
    """Of variables, of a command line to variables, and of a command line."""
    kinds = [each.__annotations__["return"] for each in typing.get_overloads(convert)]
    assert kinds == ["Variables", "Variables", "Translation"]


def test_explain_knows_every_kind_of_name() -> None:
    for name in ("--max-model-len", "MAX_MODEL_LEN", "VLLM_USE_V1", "bad-json"):
        page = explain(name, "0.33.0")
        assert page is not None
        assert str(page).startswith((name, "--max-model-len"))
        assert pickle.loads(pickle.dumps(page)) == page
    assert explain("no such thing at all") is None
    page = explain("--swap-space")
    assert page is not None
    assert [(first, last, found.value) for first, last, found in page.accepted][-1] == (
        "0.11.1",
        "0.17.1",
        "number ≥ 0",
    )
    assert dict(page.sections)["removed"][0].startswith("The V1 engine")


def test_what_there_is() -> None:
    assert versions()[0] == "0.5.2"
    assert "0.33.0" in versions()
    assert {"runpod", "sagemaker", "lmi"} <= set(dialects())
    assert {item["flag"] for item in flags("0.33.0")} > {"--max-model-len", "--port"}
    assert flags("0.27.5") == flags("0.27.1")


@pytest.mark.parametrize("version", ["nightly", "9.9", "0.1"])
def test_what_cannot_warn_refuses_a_version_without_facts(version: str) -> None:
    for ask, *given in ((flags,), (explain, "--port"), (diff, "0.19.1")):
        with pytest.raises(TranslationError, match=version):
            ask(*given, version)


MANIFEST = """\
kind: Pod
apiVersion: v1
metadata: {name: llm}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.27.1
    args: ["--model", "org/m", "--max-modle-len", "8k"]
"""


def test_a_file_is_checked_as_the_command_does(tmp_path: Path) -> None:
    """By its path or its text; the image says for which vLLM."""
    path = tmp_path / "pod.yaml"
    path.write_text(MANIFEST)
    for given, place in ((path, f"{path}:8:33"), (str(path), f"{path}:8:33"), (MANIFEST, "8:33")):
        (found,) = [item for item in check_file(given) if item.severity == "error"]
        assert (found.code, found.facts["location"]) == ("unknown-flag", place)
        assert "0.27.1" in found.message
    assert [item.code for item in check_file(path, "0.30.0") if item.severity == "error"] == [
        "unknown-flag"
    ]
    (found,) = check_file("MODEL_NAME=m\nMAX_MODEL_LEN=long\n", "0.33.0")
    assert (found.code, found.facts["location"]) == ("bad-integer", "2:1")
    (found,) = check_file("vllm serve m --max-modle-len 8k", "0.33.0")
    assert found.code == "unknown-flag"


def test_a_file_that_cannot_be_checked_is_told(tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("kind: Pod\n")
    (found,) = check_file(other)
    assert (found.code, found.severity, found.facts["file"]) == (
        "unreadable-file",
        "info",
        str(other),
    )
    with pytest.raises(FileNotFoundError):
        check_file(tmp_path / "nothing.yaml")
    other.write_text("vllm: [")
    with pytest.raises(ValueError, match="not valid YAML"):
        check_file(other)
    for wrong in ({"vllm": "nightly"}, {"dialect": "runpud"}):
        with pytest.raises(TranslationError):
            check_file(MANIFEST, **wrong)


@pytest.mark.parametrize("ask", [check, lambda text: convert(text, "0.12.0", "0.33.0")])
def test_a_text_is_no_command_line(ask: Callable[[str], object]) -> None:
    with pytest.raises(
        TranslationError, match=r"a mapping of variables or a list of tokens.*check_file"
    ):
        ask("vllm serve m")


def test_own_tables_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "dialects").mkdir()
    (tmp_path / "dialects" / "acme.toml").write_text(ACME)
    tables = Tables.load(tmp_path)
    assert "acme" in dialects(tables)
    env = {"ACME_CONTEXT": "8k"}
    done = env_to_args(env, "0.33.0", "acme", tables=tables)
    assert done.argv == ["vllm", "serve", "--max-model-len=8000"]
    (tmp_path / "dialects" / "acme.toml").write_text(ACME.replace('"flag"', '"flg"'))
    with pytest.raises(TablesError, match=r"acme\.toml"):
        Tables.load(tmp_path)


@pytest.mark.parametrize(
    "value",
    [
        env_to_args({"MODEL_NAME": "m", "SEED": "1", "MAX_CONCURRENCY": "3"}, "0.33.0"),
        args_to_env(["m", "--seed", "1", "--middleware", "a", "--middleware", "b"], "0.33.0"),
        check({"DTYPE": "fp9"}, "0.33.0"),
    ],
    ids=["Translation", "Variables", "findings"],
)
def test_results_are_values(value: object) -> None:
    """Equal, copied, pickled; shown without what may be secret."""
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert value != 1
    assert "fp9" in repr(value) or " findings)" in repr(value)


def test_a_result_is_pickled_whatever_was_asked_before() -> None:
    """What is remembered of other inputs may come with it."""
    check_file("SM_VLLM_MODEL=m\nSM_VLLM_MAX_MODEL_LEN=8", "0.32.0", "sagemaker")
    given = env_to_args({"MODEL_NAME": "m", "SEED": "1"}, "0.32.0")
    assert pickle.loads(pickle.dumps(given)) == given


def test_a_secret_is_in_no_repr() -> None:
    env = {"MODEL_NAME": "m", "HF_TOKEN": "hf_secret", "S3": "x"}
    assert "hf_secret" not in repr(env_to_args(env, "0.33.0"))
    assert "sk-secret" not in repr(args_to_env(["m", "--api-key", "sk-secret"], "0.33.0"))


@pytest.mark.parametrize("style", ["dots", "", 1, None])
def test_an_unknown_style_is_an_error(style: object) -> None:
    with pytest.raises(TranslationError) as raised:
        env_to_args({"MODEL_NAME": "m"}, "0.33.0", json_style=style)  # type: ignore[arg-type]
    assert isinstance(raised.value.findings[0], Finding)
    assert raised.value.findings[0].subject == "json_style"


def test_the_types_of_what_is_public_are_there_at_run_time() -> None:
    """Typer and pydantic ask for them."""
    for name in translator.__all__:
        if name != "__version__":
            typing.get_type_hints(getattr(translator, name))


def test_explain_takes_messages() -> None:
    """With the newest version that refuses the same, or the one that is said."""
    message = "vllm: error: unrecognized arguments: --swap-space 4\nHF_TOKEN=x"
    for vllm in (None, "0.32.0"):
        (found,) = explain(message, vllm)
        assert (found.code, found.facts["vllm"]) == ("removed", vllm or versions()[-1])
    assert explain("nothing that vLLM says") is None
