"""`translate explain`, of names that stand in no table of vLLM, and of keys that its parser does
not know.
"""

import pytest
from cases import NEWEST

from translator import env_to_args
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import JSON_KINDS, shipped, variable_of
from translator.reference.accepted import ANY_KEY
from translator.reference.lookup import Page, example, look_up, similar


def page(name: str, dialect: str = "runpod") -> Page:
    tables = shipped()
    found = look_up(name, scope_of(NEWEST, dialect, {}, tables)[0], tables.versions())
    assert found is not None, name
    return found


def told(name: str, heading: str) -> list[str]:
    return next(lines for head, lines in page(name).sections if head == heading)


@pytest.mark.parametrize(
    ("name", "first"),
    [("--hf-overrides.rope_scaling", "0.6.4"), ("--hf-overrides.anything.at_all", "0.6.4")],
)
def test_a_key_where_the_parser_takes_any(name: str, first: str) -> None:
    """It said "none of 0.6.6 … 0.33.0; it is in 0.6.6 to 0.33.0"."""
    assert told(name, "vLLM")[0].startswith(first)
    assert ANY_KEY in told(name, "vLLM")[0]


def test_a_key_of_a_flag_that_some_versions_lack() -> None:
    (*lines,) = told("--speculative-config.method", "vLLM")
    assert lines[0].startswith("0.8.3 to ")
    assert not any("none of" in line for line in lines)


def test_a_level_means_what_each_version_makes_of_it() -> None:
    of_json = "-O with JSON is --compilation-config"
    assert told("-O", "vLLM") == [
        f"0.6.5 to 0.11.0: -O3 is --compilation-config.level=3; {of_json}",
        f"0.11.1 to 0.11.2: -O3 is --compilation-config.mode=3; {of_json}",
        f"0.12.0 to {NEWEST}: -O3 is --optimization-level=3",
    ]
    for name in ("-O2", "-O=2"):
        assert told(name, "vLLM")[-1] == f"0.12.0 to {NEWEST}: -O2 is --optimization-level=2"
    assert told("-cc.mode", "vLLM")


@pytest.mark.parametrize("name", ["TRANSLATE_VLLM_VERSION", "TRANSLATE_TABLES", "TRANSLATE_DEBUG"])
def test_our_own_variables(name: str) -> None:
    assert "of this program" in page(name).title
    assert page(name, "prefix:MY_").title == page(name).title


def test_variables_of_schedulers() -> None:
    assert told("LWS_WORKER_INDEX", "with --cluster") == ["lws: rank of this machine"]
    assert told("SLURM_NODELIST", "with --cluster") == ["slurm: names of all machines"]
    assert "sets" in dict(page("MASTER_ADDR").sections)  # the dialect has it, too
    assert len(told("MASTER_ADDR", "with --cluster")) == 3


@pytest.mark.parametrize(
    "name", ["VLLM_SERVICE_HOST", "VLLM_PORT_8000_TCP_ADDR", "VLLM_LLM_SERVICE_PORT"]
)
def test_service_links(name: str) -> None:
    assert "service link" in page(name).title


@pytest.mark.parametrize(
    ("name", "dialect", "begins"),
    [
        ("--max-model-len", "runpod", "Context length"),
        ("max_model_len", "runpod", "Context length"),
        ("--swap-space", "runpod", "GiB of CPU memory"),
        ("MAX_MODEL_LEN", "runpod", "Context length"),
        ("OPTION_MAX_MODEL_LEN", "lmi", "Context length"),
        ("SWAP_SPACE", "runpod", "GiB of CPU memory"),  # which the newest vLLM does not have
        ("MAX_CONCURRENCY", "runpod", "Jobs that"),
        ("VLLM_PORT", "runpod", "First port"),
        ("SPECULATIVE_METHOD", "runpod", "Method of"),
        ("PORT", "runpod", ""),  # it sets nothing
        ("SPECULATIVE_CONFIG__METHOD", "runpod", ""),
        ("--speculative-config.method", "runpod", ""),
    ],
)
def test_what_a_name_is_for(name: str, dialect: str, begins: str) -> None:
    found = page(name, dialect)
    assert bool(found.description) == bool(begins)
    assert found.description.startswith(begins)
    assert str(found).splitlines()[1].strip() == found.description or not begins
    assert found.json()["description"] == found.description
    assert found.description in found.markdown()


def test_a_variable_that_is_the_opposite_of_its_flag_has_no_line_of_it() -> None:
    assert page("DISABLE_LOG_REQUESTS").description.startswith("Keeps requests out")
    assert page("ENABLE_CUDA_GRAPHS", "lmi").description == ""


def test_a_key_that_no_version_has_is_none_and_the_nearest_one_is_named() -> None:
    scope = scope_of(NEWEST, "runpod", {}, shipped())[0]
    for meant, slip, typed in (
        ("SPECULATIVE_CONFIG__METHOD", "METHOD", "METHD"),
        ("--speculative-config.method", "method", "methd"),
        ("-sc.method", "method", "methd"),
        ("COMPILATION_CONFIG__PASS_CONFIG__FUSE_NORM_QUANT", "QUANT", "QUAN"),
        ("--compilation-config.mode", "mode", "nothing"),
    ):
        name = meant.replace(slip, typed)
        assert look_up(name, scope, shipped().versions()) is None
        assert typed == "nothing" or similar(name, scope)[0] == meant
    assert page("HF_OVERRIDES__ANYTHING")  # which vLLM passes on


def test_all_choices_are_listed_once() -> None:
    choices = page("--speculative-config.method").accepted[-1][2].choices
    assert "ngram" in choices
    heading = f"all {len(choices)} choices in vLLM {NEWEST}"
    assert told("--speculative-config.method", heading) == [", ".join(choices)]
    assert not [head for head, _ in page("--dtype").sections if head.startswith("all ")]
    # Names that plugins may add are no closed list.
    assert page("--speculative-config.quantization").accepted[-1][2].choices == ()


@pytest.mark.parametrize("version", ["0.8.5", NEWEST])
def test_the_example_of_a_json_flag_is_one_that_the_version_takes(version: str) -> None:
    scope = scope_of(version, "prefix:X_", {}, shipped())[0]
    shown = 0
    for flag in (flag for flag in scope.catalog.flags() if flag.kind in JSON_KINDS):
        text, _ = example(flag, scope)
        if text == "…":
            continue
        shown += 1
        env = {"X_MODEL": "m", f"X_{variable_of(flag.flag)}": text}
        told = env_to_args(env, vllm=version, dialect="prefix:X_").findings
        assert [item.code for item in told if item.severity != "info"] == []
    assert shown > 8


def test_a_json_flag_without_an_example_for_the_version_shows_none() -> None:
    scope = scope_of("0.6.6", "runpod", {}, shipped())[0]
    flag = scope.catalog.flag("--kv-transfer-config")
    assert flag is not None
    assert example(flag, scope) == ("…", ["--kv-transfer-config=…"])
