"""Variables in every output form, read back by what the form is for."""

from __future__ import annotations

import io
import json
import os
import subprocess

import pytest
import yaml
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from translator.commands.kubernetes import expand
from translator.commands.manifest import read_containers
from translator.findings import Finding
from translator.formats import docker_env as docker
from translator.formats import dotenv
from translator.formats import kubernetes as k8s
from translator.formats import shell_lines as shell
from translator.formats.registry import (
    ARGV_FORMATS,
    CommandLine,
    Environment,
    EnvSource,
    read_env,
    write_argv,
)
from translator.tables.catalog import shipped

HOSTILE = [
    "", " ", "plain", "a b", " lead", "trail ", "tab\there", "line\nbreak", "\n", "cr\rx", "crlf\r\nx", "a'b", 'a"b', "a`b`", "$", "$$", "$A", "${A}",
    "${A:-b}", "$(A)", "$$(A)", "a$",
    "#", "a #b", "#b", "a#b", "\\", "a\\", "a\\\\", "\\'", '\\"', "\\n", "é", "日本", "🦙", "\u2028", "\x85", "\x01", "\x7f", "\ufeff", "a=b", "=", "export X",
    "{'a': 1}", '{"a": "b\'c"}',
    "true", "null", "~", "1e3", "0x10", "- a", "a: b", "?", "!x", "%x", "@x", "*x", "&x", "'", '"', "'\"'", "'''", "x" * 5000, "${", "}", "a${b", "\\${A}",
    "`", "!!", "a\\\n b", "\x0b\x0c\x1c",
]  # fmt: skip
TEXTS = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
    | st.text(alphabet="ab '\"\\$({})\n\r\t#`!=é:-", max_size=15)
    | st.sampled_from(HOSTILE)
)


def command(
    form: str, *tokens: str, env: dict[str, str] | None = None
) -> tuple[str, list[Finding]]:
    groups = [[token] for token in tokens]
    line = CommandLine(groups, shipped().catalog("0.33.0"), env, env_in_front=env is not None)
    return write_argv(form, line)


def check_dotenv(text: str) -> None:
    written, findings = dotenv.write_env(Environment({"A": text, "NEXT": "'\"\\"}))
    assert not findings
    assert dotenv_values(stream=io.StringIO(written, newline=None)) == {"A": text, "NEXT": "'\"\\"}
    read = read_env("dotenv", EnvSource(written, "f"))
    assert (read.env, read.findings) == ({"A": text, "NEXT": "'\"\\"}, [])


@pytest.mark.parametrize("text", HOSTILE)
def test_dotenv_is_read_back_by_python_dotenv(text: str) -> None:
    check_dotenv(text)


@given(TEXTS)
def test_dotenv_holds_any_text(text: str) -> None:
    check_dotenv(text)


def test_dotenv_is_read_back_from_a_file(tmp_path) -> None:
    env = {f"V{at}": text for at, text in enumerate(HOSTILE)}
    written, findings = dotenv.write_env(Environment(env))
    assert not findings
    path = tmp_path / ".env"
    path.write_bytes(written.encode())
    os.environ["A"] = "from outside"
    try:
        assert dict(dotenv_values(path)) == env
    finally:
        del os.environ["A"]


def test_shell_is_read_back_by_bash() -> None:
    env = {f"V{at}": text for at, text in enumerate(HOSTILE)} | {"RAW": "a\udcffb"}
    written, findings = shell.write_env(Environment(env))
    assert not findings
    script = (
        os.fsencode(written)
        + b"\nprintf '%s\\0' "
        + b" ".join(b'"$%s"' % name.encode() for name in env)
    )
    out = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, check=True).stdout
    assert [os.fsdecode(item) for item in out.split(b"\0")[:-1]] == list(env.values())


def docker_reads(text: str) -> dict[str, str]:
    """The rules of docker's own reader (github.com/docker/cli, pkg/kvfile), written down anew."""
    found = {}
    for at, raw in enumerate(text.encode().split(b"\n")):
        line = (raw.removeprefix(b"\xef\xbb\xbf") if at == 0 else raw).removesuffix(b"\r").decode()
        line = line.lstrip()
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            assert name
            assert not any(char.isspace() for char in name)
            found[name] = value
    return found


@given(st.dictionaries(st.from_regex(r"[A-Z_][A-Z0-9_]{0,8}", fullmatch=True), TEXTS, max_size=4))
def test_docker_holds_it_literally_or_says_that_it_cannot(env: dict[str, str]) -> None:
    written, findings = docker.write_env(Environment(env))
    cannot = {name for name, text in env.items() if "\n" in text or text.endswith("\r")}
    assert {item.subject for item in findings} == cannot
    if not cannot:
        assert docker_reads(written) == env
        assert read_env("docker", EnvSource(written, "f")).env == env


def test_docker_has_lines_of_64_kib() -> None:
    assert docker.write_env(Environment({"A": "x" * 65_533}))[1] == []
    assert [item.code for item in docker.write_env(Environment({"A": "x" * 65_534}))[1]] == [
        "cannot-be-said"
    ]


def kubernetes_reads(text: str, env: dict[str, str]) -> dict[str, str]:
    """What the kubelet makes of an env list: `$(NAME)` from the variables before, `$$` is `$`
    (k8s.io/kubernetes third_party/forked/golang/expansion).
    """
    found: dict[str, str] = {}
    for item in yaml.safe_load(text)["env"]:
        assert isinstance(item["value"], str)
        found[item["name"]] = expand(item["value"], {**found, **env})
    return found


@given(
    st.dictionaries(
        st.from_regex(r"[A-Z_][A-Z0-9_]{0,3}", fullmatch=True), TEXTS, min_size=1, max_size=4
    )
)
def test_k8s_is_read_back_by_yaml_and_kubernetes(env: dict[str, str]) -> None:
    written, findings = k8s.write_env(Environment(env))
    assert not findings
    assert kubernetes_reads(written, env) == env
    (made,) = read_containers(written)
    assert (made.env, made.findings) == (env, [])


def test_k8s_writes_what_needs_no_escape_as_it_is() -> None:
    values = {"A": "$x $ ${y} 100$", "B": "true", "C": "1"}
    assert {
        item["name"]: item["value"]
        for item in yaml.safe_load(k8s.write_env(Environment(values))[0])["env"]
    } == values


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (dotenv.write_env, "a b"),
        (dotenv.write_env, "1A"),
        (shell.write_env, "A-B"),
        (docker.write_env, "A B"),
        (docker.write_env, ""),
        (k8s.write_env, "A=B"),
        (k8s.write_env, ""),
    ],
)
def test_names_that_a_form_cannot_hold_are_errors(write, name: str) -> None:
    assert [item.code for item in write(Environment({name: "x"}))[1]] == ["cannot-be-said"]


@pytest.mark.parametrize("write", [dotenv.write_env, docker.write_env, k8s.write_env])
def test_bytes_that_are_not_utf8_are_errors_where_the_form_is_text(write) -> None:
    assert [item.code for item in write(Environment({"A": "a\udcffb"}))[1]] == ["cannot-be-said"]


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_shell_lines_are_read_back_by_bash(tokens: list[str]) -> None:
    for text in (command("shell", *tokens)[0], command("multiline", *tokens)[0]):
        out = subprocess.run(
            ["bash", "--norc", "-c", "printf '%s\\0' " + text], capture_output=True, check=True
        ).stdout
        assert out.decode().split("\0")[:-1] == tokens


def test_lines_and_nul() -> None:
    assert command("lines", "a", "b c") == ("a\nb c\n", [])
    assert [item.code for item in command("lines", "--x=a\nb")[1]] == ["cannot-be-said"]
    assert command("nul", "a\nb", "c") == ("a\nb\0c\0", [])


@pytest.mark.parametrize("form", ARGV_FORMATS)
def test_variables_that_were_set_with_the_command(form: str) -> None:
    """A format has a place for them, or says that it has none."""
    text, findings = command(form, "vllm", "serve", "m", env={"A": "b c", "B-": "d"})
    if form in ("shell", "multiline"):
        assert text.startswith("A='b c' ")
        assert [(item.code, item.subject) for item in findings] == [("cannot-be-said", "B-")]
    elif form == "json":
        assert json.loads(text)["env"] == {"A": "b c", "B-": "d"}
    else:
        assert {(item.code, item.subject) for item in findings} >= {
            ("not-in-file", "A"),
            ("not-in-file", "B-"),
        }


def test_json_is_what_the_standard_library_reads() -> None:
    from translator.formats import json_result as jsontext

    value = {
        "a": [1, -2.5, 1e300, True, None, 'é\n"\\\x01\u2028'],
        "b": {},
        "c": [],
        "d": {"x": {"y": []}},
    }
    assert json.loads(jsontext.dump(value)) == value
    assert jsontext.dump(value) == json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    assert json.loads(jsontext.dump({"raw": "a\udcff"})) == {"raw": "a\udcff"}
    assert (
        jsontext.dump([float("inf"), float("-inf"), float("nan")])
        == json.dumps([float("inf"), float("-inf"), float("nan")], indent=2) + "\n"
    )


@pytest.mark.parametrize(
    "text", ["$$", "a$$b", "$$$", "$(A)", "$$(A)", "$$$(A)", "$(", "$(A", "100$", "$$A$"]
)
def test_k8s_escapes_dollars_that_kubernetes_would_take_away(text: str) -> None:
    """It reads `$$` as one, and replaces `$(NAME)`."""
    env = {"A": "x", "B": text}
    assert kubernetes_reads(k8s.write_env(Environment(env))[0], env) == env
