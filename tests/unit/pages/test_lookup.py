"""`translate explain`, of names that stand in no table of vLLM, and of keys that its parser does
not know.
"""

from __future__ import annotations

import pytest

from translator.pages.accepted import ANY_KEY
from translator.pages.lookup import Page, look_up
from translator.settings.scope import scope as scope_of
from translator.tables.catalog import shipped

NEWEST = shipped().versions()[-1]


def page(name: str, dialect: str = "runpod") -> Page:
    tables = shipped()
    found = look_up(name, scope_of("0.33.0", dialect, {}, tables)[0], tables.versions())
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
    assert (
        look_up(
            "--compilation-config.nothing",
            scope_of("0.33.0", "runpod", {}, shipped())[0],
            shipped().versions(),
        )
        is None
    )


def test_a_level_means_what_each_version_makes_of_it() -> None:
    assert told("-O", "vLLM") == [
        (
            "0.6.5 to 0.11.0: -O3 is --compilation-config.level=3; -O with JSON is"
            " --compilation-config"
        ),
        "0.11.1 to 0.11.2: -O3 is --compilation-config.mode=3; -O with JSON is --compilation-config",
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
