"""The budget of references, in each reader that has any."""

from collections.abc import Callable

import pytest

from translator.core.findings import Finding
from translator.deployments.read import Context
from translator.deployments.read.registry import read_commands, read_text
from translator.formats.references import MOST_ADDED, Budget
from translator.formats.registry import read_env


def test_a_budget_gives_nothing_more_once_it_is_exceeded() -> None:
    budget = Budget()
    assert budget.take("x" * MOST_ADDED) == "x" * MOST_ADDED
    assert budget.report() is None
    assert (budget.take("x", 3), budget.take("y", 4), budget.take("", 5)) == ("", "", "")
    assert (budget.report(), budget.report()) == (3, None)


def _lines(template: str, count: int) -> str:
    return "".join(
        template.replace("{0}", str(at)).replace("{1}", str(at - 1)) for at in range(1, count + 1)
    )


_POD = (
    "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai\n    args: [$(A{n})]\n    env:\n"
    "    - {name: A0, value: xx}\n"
)
_SHELL = _lines('A{0}="$A{1}$A{1}"\n', 40)
BOMBS: dict[str, Callable[[], list[Finding]]] = {
    "dotenv": lambda: (
        read_env(
            "dotenv", ("A0=xx\n" + _lines("A{0}=${A{1}}${A{1}}\n", 40)).encode(), "x.env"
        ).findings
    ),
    "dotenv, from an earlier file": lambda: (
        read_env("dotenv", b"B=" + b"${A}" * 20, "x.env", before={"A": "x" * MOST_ADDED}).findings
    ),
    "a shell": lambda: read_text(f"A0=xx\n{_SHELL}vllm serve $A40").findings,
    "a shell in a shell": lambda: (
        read_text(f"""A0=xx bash -c 'A0=xx\n{_SHELL}vllm serve "$A40"'""").findings
    ),
    "an --env-file's value": lambda: (
        read_text("vllm serve " + "$A" * 20, Context({"A": "x" * MOST_ADDED})).findings
    ),
    "a manifest": lambda: (
        read_text(
            _POD.replace("{n}", "40") + _lines("    - {name: A{0}, value: $(A{1})$(A{1})}\n", 40)
        ).findings
    ),
    "compose": lambda: (
        read_text(
            "services:\n  a:\n    image: vllm/vllm-openai\n    command: " + "$A" * 20 + "\n",
            Context({"A": "x" * MOST_ADDED}),
        ).findings
    ),
    "compose's defaults": lambda: (
        read_text(
            "services:\n  a:\n    image: vllm/vllm-openai\n    command: " + "${B:-$A}" * 20 + "\n",
            Context({"A": "x" * MOST_ADDED}),
        ).findings
    ),
}


@pytest.mark.parametrize("title", BOMBS)
def test_a_bomb_is_one_error(title: str) -> None:
    """In each reader, and nothing else is wrong with it."""
    errors = [item for item in BOMBS[title]() if item.severity == "error"]
    assert [item.code for item in errors] == ["expands-too-much"]


def test_forty_lines_that_do_not_explode_are_read() -> None:
    read = read_env("dotenv", ("A0=x\n" + _lines("A{0}=${A{1}}x\n", 40)).encode(), "x.env")
    assert (read.env["A40"], read.findings) == ("x" * 41, [])


def test_each_container_that_loses_a_value_says_so() -> None:
    """The budget is that of the manifest, and a container without references is not touched."""
    pod = _POD.replace("[$(A{n})]", "[--seed=1]") + _lines(
        "    - {name: A{0}, value: $(A{1})$(A{1})}\n", 25
    )
    other = "---\nkind: Pod\nspec: {containers: [{image: vllm/vllm-openai, args: [ARG], env: [{name: B, value: b}]}]}\n"
    found = read_commands(pod + other.replace("ARG", "$(B)") + other.replace("ARG", "b"), Context())
    codes = [
        [item.code for item in command.findings if item.severity == "error"] for command in found
    ]
    assert codes == [["expands-too-much"], ["expands-too-much"], []]


@pytest.mark.parametrize(
    "text",
    [
        """export A='vllm; bash -c "$A"'; bash -c "$A" """,
        """kind: Pod
spec:
  containers:
  - image: vllm/vllm-openai
    command: [bash, -c, 'bash -c "$A"']
    env: [{name: A, value: 'bash -c "$A"'}]
""",
        "docker exec x " * 3000 + "vllm serve",
    ],
)
def test_programs_that_start_each_other_without_end_are_a_finding(text: str) -> None:
    """They were a RecursionError."""
    assert "not-vllm-serve" in [item.code for item in read_text(text).findings]
