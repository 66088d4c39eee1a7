"""What an output form holds is read back exactly by the programs that it is for; what it cannot
hold is an error.
"""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.readers import (
    SHELLS,
    Docker,
    NotRead,
    Shell,
    docker_client,
    docker_variables,
    dotenv_variables,
    kubernetes_variables,
    needs,
    xargs_arguments,
)
from support.texts import NAMES, PIECES, TEXTS, VARIABLES, is_text

from translator.core.secrets import secrets_of
from translator.core.tables.catalog import shipped
from translator.core.text.words import is_variable, unusable
from translator.deployments.read import Context
from translator.deployments.read.registry import read_commands
from translator.formats.forms import CommandLine, Environment
from translator.formats.registry import read_env, write_argv, write_env

BROKEN = st.sampled_from(["\0", "a\0b", "\ud800", "a\udfff", "\udcc3\udca9"])


def command(form: str, tokens: list[str], env: dict[str, str] | None = None) -> str:
    """A command line in a format, which can hold it."""
    line = CommandLine(
        [[token] for token in tokens],
        shipped().catalog("0.33.0"),
        env,
        env_in_front=env is not None,
    )
    text, findings = write_argv(form, line)
    assert findings == []
    return text


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("form", ["shell", "multiline"])
@given(st.lists(TEXTS | TEXTS.map("--x={}".format), min_size=1, max_size=5))
@example(list(PIECES))
@example(["=ls", "--x==ls", "--x=a:=ls", "a==ls"])
def test_a_shell_reads_command_lines(form: str, shell: Shell, tokens: list[str]) -> None:
    assert shell.arguments(command(form, tokens)) == tokens


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=20)
@given(VARIABLES.filter(lambda env: "_" not in env))
@example({"A": "=ls", "B": "a:=ls", "C": "~", "D": "a:~root"})
def test_a_shell_reads_variables_in_front_of_a_command(shell: Shell, env: dict[str, str]) -> None:
    read = shell.variables(command("shell", ["env", "-0"], env) + "exit")
    assert read == env


@pytest.mark.parametrize("shell", SHELLS)
@given(VARIABLES)
@example({f"V{at}": text for at, text in enumerate(PIECES)})
@example({"A": "=ls", "B": "a:=ls", "C": "~", "D": "a:~root"})
def test_a_shell_reads_variables(shell: Shell, env: dict[str, str]) -> None:
    text, findings = write_env("shell", Environment(env))
    assert findings or shell.variables(text) == env


@pytest.mark.parametrize("shell", SHELLS)
def test_variables_that_a_shell_sets_itself(shell: Shell) -> None:
    """Each one is either read as it was written, or an error."""
    listed = shell.output(
        'if [ -n "$ZSH_VERSION" ]; then zmodload zsh/parameter; printf "%s\\0" ${(k)parameters};'
        ' elif [ -n "$BASH_VERSION" ]; then compgen -v | tr "\\n" "\\0"; else set | tr "\\n" "\\0"; fi',
        "",
    )
    names = {item.partition("=")[0] for item in listed} | {"UID", "GID", "RANDOM", "OPTIND", "_"}
    refused = set()
    for name in sorted(filter(is_variable, names)):
        text, findings = write_env("shell", Environment({name: "7"}))
        if findings:
            refused.add(name)
            continue
        script = f"{shell.before}{text}exec /usr/bin/env -0\n"
        read = Shell(shell.command).output(script, "")
        assert f"{name}=7" in read
    assert {"UID", "GID", "RANDOM", "OPTIND", "_"} <= refused
    assert len(names) > len(refused)


@needs("xargs")
@given(st.lists(TEXTS, min_size=1, max_size=5))
@example(list(PIECES))
def test_xargs_reads_tokens(tokens: list[str]) -> None:
    assert xargs_arguments(command("nul", tokens), "-0") == tokens
    kept = [text for text in tokens if "\n" not in text and "\r" not in text]
    if kept:
        assert xargs_arguments(command("lines", kept), "-d", "\\n") == kept
    for text in set(tokens) - set(kept):
        line = CommandLine([[text]], shipped().catalog("0.33.0"))
        assert [item.code for item in write_argv("lines", line)[1]] == ["not-expressible"]


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=20)
@given(st.lists(TEXTS.filter(lambda text: "\n" not in text and "\r" not in text), min_size=1))
def test_a_shell_reads_lines(shell: Shell, tokens: list[str]) -> None:
    ending = "while IFS= read -r token; do printf '%s\\0' \"$token\"; done <<'END OF LINES'\n"
    text = command("lines", tokens)
    if "END OF LINES\n" not in text:
        assert Shell(shell.command).output(f"{ending}{text}END OF LINES", "") == tokens


def holds(env: dict[str, str], form: str) -> str | None:
    """Variables in a format; None if it says, for each one that is to blame, that it cannot."""
    text, findings = write_env(form, Environment(env))
    assert {item.severity for item in findings} <= {"error"}
    assert len(findings) <= len(env)
    return None if findings else text


@given(VARIABLES)
@example({f"V{at}": text for at, text in enumerate(PIECES) if is_text(text)})
def test_python_dotenv_reads_variables(env: dict[str, str]) -> None:
    text = holds(env, "dotenv")
    if text is None:
        assert not all(map(is_text, env.values()))
    else:
        assert dotenv_variables(text) == env
        assert read_env("dotenv", text.encode(), "f").env == env


@given(VARIABLES)
@example({f"V{at}": text for at, text in enumerate(PIECES) if is_text(text)})
def test_kubernetes_reads_variables(env: dict[str, str]) -> None:
    text = holds(env, "k8s")
    if text is None:
        assert not all(map(is_text, env.values()))
    else:
        assert kubernetes_variables(text) == env
        (made,) = read_commands(text, Context(), "x.yaml")
        # What a program may fill in first (envsubst, Flux) is not known.
        known = {name: value for name, value in env.items() if "${" not in value}
        assert known.items() <= made.env.items() <= env.items()
        assert {item.code for item in made.findings} <= {"value-not-known"}
        assert made.findings == [] or known != env


@given(VARIABLES)
def test_json_holds_everything(env: dict[str, str]) -> None:
    assert json.loads(write_env("json", Environment(env))[0])["env"] == env


@given(VARIABLES)
def test_a_hub_json_holds_everything_but_secrets(env: dict[str, str]) -> None:
    text, _ = write_env("runpod-hub", Environment(env))
    if not text:
        assert not all(map(is_text, env.values()))
        return
    hub = json.loads(text)["config"]["env"]
    plain = {name: text for name, text in env.items() if not secrets_of().named(name)}
    assert {item["key"]: item["value"] for item in hub if "value" in item} == plain


DOCKER_NAMES = (
    NAMES
    | st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=4)
    | st.tuples(st.sampled_from(PIECES), NAMES).map("".join)
)


@pytest.fixture(scope="module")
def docker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Docker]:
    with docker_client(tmp_path_factory.mktemp("docker")) as client:
        yield client


def check_docker(env: dict[str, str], read) -> None:
    """A file that docker reads exactly, or an error that docker gives reason for."""
    text = holds(env, "docker")
    if text is not None:
        assert read(text) == env
        assert read_env("docker", text.encode(), "f").env == env
        return
    naively = "".join(f"{name}={value}\n" for name, value in env.items())
    try:
        assert read(naively) != env
    except NotRead:
        pass


@given(st.dictionaries(DOCKER_NAMES, TEXTS, min_size=1, max_size=3))
@example({"\ufeffA": "1"})
@example({"\x1cA": "1"})
@example({"A": "x\r"})
@example({"A": "x" * 65_533})
@example({"A": "x" * 65_534})
@example({f"V{at}": text for at, text in enumerate(PIECES) if is_text(text) and "\n" not in text})
def test_docker_reads_variables(env: dict[str, str]) -> None:
    check_docker(env, docker_variables)


@needs("docker")
@settings(max_examples=15)
@given(env=st.dictionaries(DOCKER_NAMES, TEXTS, min_size=1, max_size=3))
@example(env={"\ufeffA": "1"})
@example(env={"\x1cA": "1"})
@example(env={"A": "x\r"})
@example(env={"A": "x" * 65_533})
@example(env={"A": "x" * 65_534})
def test_the_client_of_docker_reads_variables(docker: Docker, env: dict[str, str]) -> None:
    check_docker(env, docker.variables)


FILES = st.lists(
    st.sampled_from([*PIECES, "A", "B=", "A=1", "#", "\n", "\n", "\n"]), max_size=12
).map("".join)


@needs("docker")
@settings(max_examples=30)
@given(text=FILES.filter(lambda text: not unusable(text)))
@example(text="A=" + "x" * 65_533)
@example(text="A=" + "x" * 65_534)
@example(text="A=" + "x" * 65_533 + "\r\n")
def test_the_rules_are_those_of_the_client_of_docker(docker: Docker, text: str) -> None:
    """The reader of this package, and the one of the tests, read any file as docker does."""
    found: list[dict[str, str] | None] = []
    for read in (docker_variables, docker.variables):
        try:
            found.append(read(text))
        except NotRead:
            found.append(None)
    assert found[0] == found[1]
    if is_text(text) and len(text) < 60_000:
        mine = read_env("docker", text.encode(), "f")
        refused = [item for item in mine.findings if item.code == "bad-env-file"]
        assert (None if refused else mine.env) == found[1]


@pytest.mark.parametrize("form", ["shell", "dotenv", "docker", "k8s"])
@given(BROKEN, NAMES)
def test_no_environment_holds_it(form: str, text: str, name: str) -> None:
    assert holds({"FINE": "x", name: text}, form) is None
    assert json.loads(write_env("json", Environment({name: text}))[0])["env"] == {name: text}


@pytest.mark.parametrize(
    ("form", "name"),
    [
        *itertools.product(("shell", "dotenv", "docker", "k8s"), ("", "A=B", "A\n")),
        *itertools.product(("shell", "dotenv"), ("A-B", "1A", "A B")),
        *itertools.product(("shell", "dotenv", "k8s"), ("é", "\x7f")),
        *itertools.product(("docker",), ("#A", "A B", "\ufeffA", "\xa0A")),
    ],
)
def test_names_that_a_form_cannot_hold(form: str, name: str) -> None:
    assert [item.code for item in write_env(form, Environment({name: "x"}))[1]] == [
        "not-expressible"
    ]


def test_a_file_on_disk(tmp_path: Path) -> None:
    """Newlines are not changed between the text and its readers."""
    env = {f"V{at}": text for at, text in enumerate(PIECES) if is_text(text)}
    path = tmp_path / ".env"
    path.write_bytes((holds(env, "dotenv") or "").encode())
    assert dict(dotenv_values(path)) == env
