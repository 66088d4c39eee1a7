"""What compose files name beside them: the rules are compose-go's."""

import os
from pathlib import Path

import pytest
from support.program import translate

from translator.core.text.json_text import YamlError
from translator.deployments.read import Command, Context, compose
from translator.deployments.read.registry import read_commands
from translator.formats.dotenv import BadEntryError, compose_bindings, raw_bindings


def read(text: str, env: dict[str, str] | None = None, **files: str) -> list[Command]:
    named = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}

    def beside(path: str) -> tuple[str, str] | None:
        path = os.path.normpath(path)
        return (path, named[path]) if path in named else None

    found = read_commands(text, Context(outside=env or {}, beside=beside), "c.yaml")
    return [item for item in found if item.starts_vllm]


# By the tests of go-shellwords 1.0.12 (shellwords_test.go): what a string becomes.
WORDS = {
    "": [],
    """ "" m '' """: ["", "m", ""],
    'a --b="c d" --"e f"': ["a", "--b=c d", "--e f"],
    r"""a "--b=\"c\'" '\' """: ["a", "--b=\"c'", "\\"],
    r"a\ b \\ \& \n c\  ": ["a b", "\\", "&", "n", "c "],
    "a=`b c` $(d 'e f')": ["a=`b c`", "$(d 'e f')"],
    "a b; c": ["a", "b"],
    "a b2>c d": ["a", "b2"],
    "a 2>b c": ["a"],
}


@pytest.mark.parametrize("text", WORDS)
def test_the_words_of_a_string(text: str) -> None:
    assert compose.shell_words(text)[0] == WORDS[text]


@pytest.mark.parametrize("text", ["a 'b", 'a "b', "a `b", "a (b)", "a $(b", "a b)", "a \\"])
def test_a_string_that_is_no_command(text: str) -> None:
    with pytest.raises(ValueError):
        compose.shell_words(text)


def service(body: str) -> str:
    return f"services: {{a: {{image: 'vllm/vllm-openai:v0.19.1', {body}}}}}\n"


def test_services_that_extend_each_other_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "services: {a: {image: vllm/vllm-openai, command: --model m, extends: b}, b: {extends: a}}"
    )
    assert [item.tokens[-2:] for item in read(text)] == [["--model", "m"]] * 2
    many = "".join(f"  s{at}: {{extends: s{at + 1}, environment: [A=1]}}\n" for at in range(90))
    text = f"services:\n{many}  s90: {{image: vllm/vllm-openai, command: --model m}}"
    assert len(read(text)) > 20
    monkeypatch.setattr(compose, "MOST_VALUES", 500)
    with pytest.raises(YamlError, match="more than 500 values"):
        read(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A=b\n", [("A", "b", False)]),
        ("export A = b # c\n", [("A", "b", False)]),
        ("A: b#c\n", [("A", "b#c", False)]),
        ("A\nB=1", [("A", None, False), ("B", "1", False)]),
        ('A="b \\n\\$c\\"" # d\nB=1', [("A", 'b \n$$c"', False), ("B", "1", False)]),
        ("A='b \\n $c\\''\n", [("A", "b \\n $c'", True)]),
        ("# x\n\n A='b\nc'\nD=\n", [("A", "b\nc", True), ("D", "", False)]),
    ],
)
def test_the_lines_of_a_file(text: str, wanted: list[tuple[str, str | None, bool]]) -> None:
    assert [(item.name, item.value, item.literal) for item in compose_bindings(text)] == wanted


def test_lines_that_compose_refuses() -> None:
    for text, line in (("A=1\nB b=1\n", 2), ("\n=1", 2), ("A='\n", 1), ("!\n", 1)):
        with pytest.raises(BadEntryError, match=f"^{line}$"):
            list(compose_bindings(text))
    assert [(item.name, item.value) for item in raw_bindings("A='b' # c\n#\nD")] == [
        ("A", "'b' # c"),
        ("D", None),
    ]


@pytest.mark.parametrize(
    ("body", "tokens", "env"),
    [
        ("build: .", ["org/m"], {"A": "1"}),
        ("build: {args: {S: 3}}", ["org/m"], {"A": "3"}),
        ("build: {context: x, dockerfile: ../Dockerfile, args: [S=4, T=5]}", ["org/m"], {"A": "4"}),
        ("build: ., command: [org/n]", ["org/n"], {"A": "1"}),
        ("build: ., entrypoint: [vllm, serve, org/o], environment: {A: 2}", ["org/o"], {"A": "2"}),
        ("build: {target: base}, entrypoint: [vllm, serve], command: x", ["x"], {}),
        ('build: {dockerfile_inline: "FROM x\\nCMD vllm serve y"}, image: z', ["y"], {}),
    ],
)
def test_the_dockerfile_of_a_service(body: str, tokens: list[str], env: dict[str, str]) -> None:
    dockerfile = (
        "FROM vllm/vllm-openai:v0.19.1 AS base\nFROM base\nARG S=1\nENV A=$S\n"
        'ENTRYPOINT ["vllm", "serve"]\nCMD ["org/m"]\n'
    )
    (made,) = read(f"services: {{a: {{{body}}}}}", Dockerfile=dockerfile)
    assert (made.tokens, made.env) == (["vllm", "serve", *tokens], env)
    assert made.vllm == (None if "inline" in body else "0.19.1")


def test_no_file_beside_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.env")
    path = tmp_path / "c.yaml"
    path.write_text(service("command: --model m, env_file: [a.env, /etc/hostname]"))
    assert "info[unresolved-value]" in translate("check", str(path)).out
    done = translate("args-to-env", "--file", str(path))
    assert done.out == "MODEL_NAME=m\n"
