"""Where a text writes a token or a variable: what replaces it, and what stays."""

import re

import pytest

from translator.deployments.text import edits

GONE: list[str] = []


def edited(text: str, old: list[str], new: list[str], number: int = 0) -> str:
    """A text with tokens replaced at a place of the first one."""
    name = re.escape(old[0].partition("=")[0])
    at = [found.start() for found in re.finditer(rf"(?<![-\w]){name}(?![-\w])", text)][number]
    return edits.applied(text, edits.of_tokens(text, at, old, new))


@pytest.mark.parametrize(
    ("text", "old", "new", "result"),
    [
        # a name alone, whatever stands around it
        ("vllm serve m --a-b=$X", ["--a-b=$X"], ["--c=$X"], "vllm serve m --c=$X"),
        ("x --a-bc 1 --a-b 2", ["--a-b", "2"], ["--c", "2"], "x --a-bc 1 --c 2"),
        # words of a command
        ("serve m --a 4 --b", ["--a", "4"], GONE, "serve m --b"),
        ("serve m --a 4", ["--a", "4"], GONE, "serve m"),
        ("m \\\n  --a 4 \\\n  --b\n", ["--a", "4"], GONE, "m \\\n  --b\n"),
        ("m \\\n  --b \\\n  --a \\\n  4\nx", ["--a", "4"], GONE, "m \\\n  --b\nx"),
        ("m \\\r\n  --b \\\r\n  --a 4\r\nx", ["--a", "4"], GONE, "m \\\r\n  --b\r\nx"),
        ("c: >\n  m --b\n  --a 4\nx: 1", ["--a", "4"], GONE, "c: >\n  m --b\nx: 1"),
        ("--a 4 --b", ["--a", "4"], GONE, "--b"),
        ('bash -c "serve m --a 4"', ["--a", "4"], GONE, 'bash -c "serve m"'),
        ("m '--a=4 5' --b", ["--a=4 5"], GONE, "m --b"),
        ("m --a='4 5' --b", ["--a=4 5"], ["--c=1"], "m --c=1 --b"),
        ("m --a x", ["--a", "x"], ["--c", "y z"], "m --c 'y z'"),
        ("m \\\n  --a \\\n  --b", ["--a"], ["--c", "1", "--d"], "m \\\n  --c 1 \\\n  --d \\\n  --b"),
        ("m \\\r\n  --a x\r\n", ["--a", "x"], ["--c", "--d"], "m \\\r\n  --c \\\r\n  --d\r\n"),
        # items of lists
        ("args:\n- --a\n- '4'  # x\n- --b\n", ["--a", "4"], GONE, "args:\n# x\n- --b\n"),
        ("- --a\n# x\n\n- 4\n- b\n", ["--a", "4"], GONE, "# x\n\n- b\n"),
        ("- --a\n- e # x\n", ["--a", "e"], ["--c", "1", "--d"], '- --c\n- "1"\n- --d # x\n'),
        ('- "--a=4"\n- b', ["--a=4"], ["--c=true"], '- "--c=true"\n- b'),
        ('["m", "--a", "4", "--b"]', ["--a", "4"], GONE, '["m", "--b"]'),
        ('["m",\n  "--a",\n  "4"\n]', ["--a", "4"], GONE, '["m"\n]'),
        ("[m, --a, '4']", ["--a", "4"], ["--c", "--d", "1"], "[m, --c, '--d', '1']"),
        ('["--a", "x"]', ["--a", "x"], ["--a", '{"b":1}'], '["--a", "{\\"b\\":1}"]'),
    ],
)  # fmt: skip
def test_tokens(text: str, old: list[str], new: list[str], result: str) -> None:
    assert edited(text, old, new) == result


def test_only_what_stands_there_is_replaced() -> None:
    text = "# --a 4\nserve m --a 4\nserve n --a 4 --aa 4\n"
    assert edited(text, ["--a", "4"], GONE, 1) == "# --a 4\nserve m\nserve n --a 4 --aa 4\n"
    assert not edits.of_tokens(text, 2, ["--a", "5"], GONE)
    assert not edits.of_tokens(text, 0, ["--a", "4"], GONE)
    for value in ("4\x01", "'4", "|"):  # what is no scalar of YAML
        assert not edits.of_tokens(f"[--a, {value}]", 1, ["--a", "4"], GONE)


@pytest.mark.parametrize(
    ("text", "new", "result"),
    [
        ("# x\nA=true\nB=1\n", [("A", "1")], "# x\nA=1\nB=1\n"),
        ("A=true  # x\n", [("A", "1")], "A=1  # x\n"),
        ("A=true\nB=1", [], "B=1"),
        ("export A='true'\n", [("A", "1")], "export A='1'\n"),
        ("A=x y\r\nB=1\r\n", [("C", "1"), ("D", "2")], "C=1\r\nD=2\r\nB=1\r\n"),
        ("A=true serve m", [("C", "1"), ("D", "2")], "C=1 D=2 serve m"),
        ("A=true B=2 serve m", [], "B=2 serve m"),
        ("docker run -e A=true -e B=1 i", [], "docker run -e B=1 i"),
        ('docker run -e "A=true" i', [("A", "1")], 'docker run -e "A=1" i'),
        ("docker run \\\n  -e A=1 \\\n  i", [], "docker run \\\n  i"),
        ("environment:\n  - A=true\n  - B=1\n", [], "environment:\n  - B=1\n"),
        ("  A: true # x\n  B: 1\n", [("A", "1")], '  A: "1" # x\n  B: 1\n'),
        ("  A: true\n  B: 1\n", [], "  B: 1\n"),
        ("{A: 'true', B: 1}", [("A", "1")], "{A: '1', B: 1}"),
        ("{A: 'true', B: 1}", [], "{B: 1}"),
        ("- name: A\n  value: 'true'\n- name: B", [("A", "1")], "- name: A\n  value: '1'\n- name: B"),
        ("- name: A\n  value: x\n- name: B", [], "- name: B"),
        ("- {name: A, value: x}\n- {name: B}", [], "- {name: B}"),
        ('[{"name": "A", "value": "x"}, {"name": "B"}]', [("C", "y")], '[{"name": "C", "value": "y"}, {"name": "B"}]'),
        ('[{"name": "A", "value": "x"}, {"name": "B"}]', [], '[{"name": "B"}]'),
        ('[{"name": "A", "value": "x"}]', [("C", "1"), ("D", "2")], '[{"name": "C", "value": "1"}, {"name": "D", "value": "2"}]'),
        ('[{\n  "name": "A",\n  "value": "x"\n}]', [("C", "1"), ("D", "2")], '[{\n  "name": "C",\n  "value": "1"\n}, {\n  "name": "D",\n  "value": "2"\n}]'),
        ('{\n  "B": 1,\n  "A": "x"\n}', [], '{\n  "B": 1\n}'),
        ("A='x' # s\n", [("C", "1"), ("D", "2")], "C='1'\nD='2' # s\n"),
        ("ENV A=true B=1\n", [("A", "1")], "ENV A=1 B=1\n"),
        ('Environment="A=true"\nX=1', [], "X=1"),
    ],
)  # fmt: skip
def test_variables(text: str, new: list[tuple[str, str]], result: str) -> None:
    at = re.search(r"(?<!\w)A(?!\w)", text)
    assert at is not None
    value = "x y" if "x y" in text else "true" if "true" in text else "1" if "A=1" in text else "x"
    made = edits.of_variable(text, at.start(), "A", value, new)
    assert edits.applied(text, made) == result


def test_what_stands_beside_a_variable_is_not_copied() -> None:
    """It may be a secret, which a difference would show as new."""
    text = "- {x: s, name: A, value: v, y: s}\n"
    at = text.index("A")
    assert not edits.of_variable(text, at, "A", "v", [("C", "1"), ("D", "2")])
    assert edits.of_variable(text, at, "A", "v", [("A", "1")])


@pytest.mark.parametrize("text", ["A='x y'", "A: x", "- name: A\n  value: x", "-e A=x", "ENV A x"])
def test_a_variable_gets_another_name(text: str) -> None:
    made = edits.of_variable(text, text.index("A"), "A", "x", [("B", "x")])
    assert edits.applied(text, made) == text.replace("A", "B")


def test_numbers() -> None:
    text = "x: 1\nargs: [--port, 8000, -1, 'a 1', true]  # 5\ny: 1\n"
    both = edits.applied(text, edits.of_number(text, 2))
    assert both == 'x: 1\nargs: [--port, "8000", "-1", \'a 1\', "true"]  # 5\ny: 1\n'
    assert not edits.of_number(text.replace("1", "'1'"), 3)
    assert not edits.of_number("args: [1, 'a\n  b']", 1)
    assert edits.of_number("  8000, b]", 1) == [(2, 6, '"8000"')]


def test_edits_that_overlap_are_refused() -> None:
    assert edits.applied("abcd", [(0, 1, "x"), (3, 4, ""), (1, 1, "yz")]) == "xyzbc"
    with pytest.raises(ValueError, match="overlap"):
        edits.applied("abcd", [(0, 2, ""), (1, 3, "")])
