"""Output forms: how they look, and what they cannot hold. test_readers.py reads them back."""

import json

import pytest
import yaml
from support.readers import kubernetes_variables
from support.starts import READERS

from translator.core.findings import Finding
from translator.core.tables.catalog import shipped
from translator.core.text.json_text import indented
from translator.formats.env_files import write_docker, write_dotenv
from translator.formats.forms import CommandLine, Environment
from translator.formats.manifests import write_kubernetes
from translator.formats.registry import ARGV_FORMATS, STARTS, read_env, write_argv


def command(
    form: str, *tokens: str, env: dict[str, str] | None = None
) -> tuple[str, list[Finding]]:
    groups = [[token] for token in tokens]
    line = CommandLine(groups, shipped().catalog("0.33.0"), env, env_in_front=env is not None)
    return write_argv(form, line)


def test_k8s_writes_what_needs_no_escape_as_it_is() -> None:
    values = {"A": "$x $ ${y} 100$", "B": "true", "C": "1"}
    assert {
        item["name"]: item["value"]
        for item in yaml.safe_load(write_kubernetes(Environment(values))[0])["env"]
    } == values


@pytest.mark.parametrize("write", [write_dotenv, write_docker, write_kubernetes])
def test_bytes_that_are_not_utf8_are_errors_where_the_form_is_text(write) -> None:
    assert [item.code for item in write(Environment({"A": "a\udcffb"}))[1]] == ["not-expressible"]


@pytest.mark.parametrize(("form", "write"), [("dotenv", write_dotenv), ("docker", write_docker)])
def test_comments_are_read_over(form: str, write) -> None:
    values = {"A": "# b", "B": "c"}
    text, findings = write(Environment(values, comments={"A": 'What\'s `it` for: "x"?', "B": ""}))
    assert findings == []
    assert text.startswith("# What's `it` for")
    assert read_env(form, text.encode(), "f").env == values


def test_lines_and_nul() -> None:
    assert command("lines", "a", "b c") == ("a\nb c\n", [])
    assert [item.code for item in command("lines", "--x=a\nb")[1]] == ["not-expressible"]
    assert command("nul", "a\nb", "c") == ("a\nb\0c\0", [])


@pytest.mark.parametrize("form", ARGV_FORMATS)
def test_variables_that_were_set_with_the_command(form: str) -> None:
    """A format has a place for them, or says that it has none."""
    env = {"A": "b c", "B-": "d"}
    if form in STARTS:
        env.pop("B-")  # which no shell reads
        started = READERS[form](command(form, "vllm", "serve", "m", env=env)[0])
        assert started.env == env
        return
    text, findings = command(form, "vllm", "serve", "m", env=env)
    if form in ("shell", "multiline"):
        assert text.startswith("A='b c' ")
        assert [(item.code, item.subject) for item in findings] == [("not-expressible", "B-")]
    elif form == "json":
        assert json.loads(text)["env"] == {"A": "b c", "B-": "d"}
    else:
        assert {(item.code, item.subject) for item in findings} >= {
            ("not-in-file", "A"),
            ("not-in-file", "B-"),
        }


def test_json_is_what_the_standard_library_reads() -> None:
    texts = {
        "a": [1, -2.5, 1e300, True, None, 'é\n"\\\x01\u2028'],
        "b": {},
        "c": [],
        "d": {"x": []},
    }
    for value in (texts, [float("inf"), float("-inf"), float("nan")]):
        assert indented(value) == json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    assert json.loads(indented({"raw": "a\udcff"})) == {"raw": "a\udcff"}


@pytest.mark.parametrize(
    "text", ["$$", "a$$b", "$$$", "$(A)", "$$(A)", "$$$(A)", "$(", "$(A", "100$", "$$A$"]
)
def test_k8s_escapes_dollars_that_kubernetes_would_take_away(text: str) -> None:
    """It reads `$$` as one, and replaces `$(NAME)`."""
    env = {"A": "x", "B": text}
    assert kubernetes_variables(write_kubernetes(Environment(env))[0], env) == env
