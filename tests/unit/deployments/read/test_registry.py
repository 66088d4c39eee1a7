"""What people paste, taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import bash

from translator.core.secrets import secrets_of
from translator.deployments.read import Context
from translator.deployments.read.programs import is_unread
from translator.deployments.read.registry import read_commands, read_text
from translator.deployments.read.unwrap import read_tokens
from translator.deployments.text.shell import split
from translator.formats.references import holes


@pytest.mark.parametrize(
    ("text", "known", "tokens"),
    [
        ("${M:-$D}", {"D": "org/m"}, ["org/m"]),
        ("${M:-${D}}", {"D": "org/m"}, ["org/m"]),
        ("${M:-${D:-org/m}}", {}, ["org/m"]),
        ("${M:-${D:-${E:-org/m}}}", {"D": ""}, ["org/m"]),
        ("${M-${D-org/m}}", {"D": ""}, []),
        ("${M:=org/m}", {"M": ""}, ["org/m"]),
        ('"${M-${D-org/m}}"', {"D": ""}, [""]),
        ("${M:?set M-NAME first}", {"M": "org/m"}, ["org/m"]),
        ("${M?}", {"M": "org/m"}, ["org/m"]),
        ("m ${M:+--seed 1}", {"M": "x"}, ["m", "--seed", "1"]),
        ("m ${M:+--seed 1}", {"M": ""}, ["m"]),
        ("m${M+x}", {"M": ""}, ["mx"]),
        ("${M:-a b}", {}, ["a", "b"]),
        ("x${M:- a}", {}, ["x", "a"]),
        ("${M:-'a b' \"c d\" e\\ f}", {}, ["a b", "c d", "e f"]),
        ('"${M:-a \'b\' "c" \\d \\$e \\}}"', {}, ["a 'b' c \\d $e }"]),
        ("${M:-'}'}}", {}, ["}}"]),
        ('${M:-"}$D"}', {"D": "a b"}, ["}a b"]),
        ("${M:-{a,b}}", {}, ["{a,b}"]),
        ("${M:-a;>x}", {}, ["a;>x"]),
        ("${M:-a-b:?c}", {}, ["a-b:?c"]),
    ],
)
def test_a_default_is_read_as_a_shell_reads_it(
    text: str, known: dict[str, str], tokens: list[str]
) -> None:
    done = read_text(f"vllm serve {text}", Context(known))
    assert (done.tokens, done.findings) == (["vllm", "serve", *tokens], [])
    ran = bash(f"printf '%s\\0' x {text}", known)
    assert ran.stdout.decode().split("\0")[1:-1] == tokens


@given(st.text(alphabet="ab '\"\\$({})\n\t#`&|;<>=:-~[],*!x", max_size=40) | st.text(max_size=30))
def test_no_text_crashes_it(text: str) -> None:
    read_text(text)


@given(st.lists(st.text(alphabet="ab '\"\\\n\t#;=-", max_size=8), min_size=1, max_size=4))
def test_words_are_split_as_bash_splits_them(parts: list[str]) -> None:
    text = " ".join(parts)
    checked = bash(f"set -n\nprintf x {text}")
    commands = split(f"printf '%s\\0' {text}")
    if checked.returncode or checked.stderr or len(commands) != 1 or commands[0].remarks:
        return
    if any(part in f"{text} " for part in ("\\\n", "\\ ", "\\\t")):
        return
    out = bash(f"printf '%s\\0' {text}").stdout
    wanted = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
    assert (list(commands[0][2:]) or [""]) == wanted


def test_scripts_that_write_each_other_have_an_end() -> None:
    text = "vllm serve m\n"
    for number in range(40):
        text = f"cat > {number}.sh <<E{number}\n{text}E{number}\n"
    assert [command.tokens for command in read_commands(text, Context(), "x.sh")] == [["cat"]]


def test_tokens_of_the_process_are_not_split_again() -> None:
    assert read_tokens(["A=$x", "vllm", "serve", "$y z"]).tokens == ["vllm", "serve", "$y z"]
    assert read_tokens(["A=$x", "vllm", "serve", "m"]).env == {"A": "$x"}
    assert holes(["a"]) == []


SECRET = "hf_Pa55word0123"


@pytest.mark.parametrize(
    "text",
    [
        f"huggingface-cli login --token {SECRET} && vllm serve m",
        f"HF_TOKEN={SECRET}\nvllm serve m",
        f"vllm serve m --api-key '{SECRET}",
        f'vllm serve m --api-key "{SECRET}',
        f"vllm serve m --kv-transfer-config {{password:{SECRET},a:b}}",
        f"docker run -e HF_TOKEN={SECRET}$X vllm/vllm-openai m",
        f"env: [{{name: HF_TOKEN, value: 1{SECRET}: x}}]\nargs: [m]",
        f"vllm serve m | curl -H 'Authorization: {SECRET}'",
        f"login {SECRET}; other {SECRET}",
        f"python {SECRET} {SECRET}",
    ],
)
def test_no_secret_is_in_a_finding(text: str) -> None:
    for item in secrets_of().finished(read_text(text).findings):
        assert SECRET not in item.line(), item


# --- commands as documents write them for PowerShell and cmd


@pytest.mark.parametrize(("sign", "shell"), [("`", "PowerShell"), ("^", "cmd")])
def test_a_command_for_windows_is_told(sign: str, shell: str) -> None:
    text = f"docker run --gpus all {sign}\r\n  vllm/vllm-openai:v0.10.0 --model m\n"
    (command,) = read_commands(f"# it\n{text}", Context(), "start.txt")
    assert (command.tokens, command.place[1]) == ([], 2)
    assert [(item.code, item.subject) for item in command.findings] == [("unreadable-file", shell)]
    assert read_commands(f"Run\n\n```\n{text}```\n", Context(), "README.md") == []


@pytest.mark.parametrize("text", ["x=`\ndocker run y\n`\n", "vllm serve m `cat a`\n"])
def test_a_command_in_another_is_none_for_windows(text: str) -> None:
    assert not any(map(is_unread, read_commands(text, Context(), "a.sh")))


# --- scripts with many commands


def _read(count: int) -> list[str]:
    """The last token of each command; the findings of one that stands for those not read."""
    lines = [f"echo {at}\nvllm serve m\nvllm serve m --seed {at}" for at in range(count)]
    made = read_commands("\n".join(lines), Context(), "x.sh")
    return [item.tokens[-1] if item.tokens else item.findings[0].code for item in made]


def test_every_command_of_a_script_is_read() -> None:
    """Also one that stood there before."""
    assert _read(50)[-4:] == ["m", "48", "m", "49"]
    assert len(_read(50)) == 100


def test_commands_that_are_not_read_are_told() -> None:
    read = _read(501)
    assert (len(read), read[-1]) == (1001, "unreadable-file")
