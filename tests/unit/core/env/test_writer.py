"""The writer of variables: for ourselves, and for the dialect's consumer."""

from typing import Any

import pytest
from support.made_up import VERSION
from support.made_up import scope as made_scope

from translator.core.env.writer import write_env
from translator.core.settings import Resolved
from translator.core.settings.scope import Scope, variable_for
from translator.core.text.words import TOKEN, Origin

FLAGS = (
    "--model kind=str", "--config kind=str", "--num kind=int", "--text kind=str", "--zero kind=int", "--unset kind=int", "--on kind=toggle negations:--no-on",
    "--sw kind=switch", "--j kind=json",
    "--l kind=list element=str", "--port kind=int", "--key kind=list element=str", "--opt kind=optional-str bare", "--size kind=size suffixes=k",
    "--own kind=int",
)  # fmt: skip
DIALECT = (
    "MODEL_NAME role=flag flag=--model order#1", "MODEL role=reserved", "PORT role=reserved", "CONFIG role=reserved",
    "UNSET role=flag flag=--unset unset:0 order#2", "OWN role=worker",
)  # fmt: skip
CONSUMER = (
    "@dialect extra_args=EXTRA config_file=CONFIG_FILE",
    f"@consumer vllm={VERSION} value_flags:--model|--num|--text|--zero|--unset|--j|--l|--size pair_flags:--on switch_flags:--sw zero_unset:--zero",
)  # fmt: skip
SECRETS = ("--key\tsecret\tvariable=VLLM_KEY", "VLLM_KEY\tsecret")


@pytest.fixture(scope="module")
def alone() -> Scope:
    """A dialect that nobody else reads."""
    return made_scope(*FLAGS, dialect=DIALECT, secrets=SECRETS)


@pytest.fixture(scope="module")
def shared() -> Scope:
    """A dialect with a consumer of its own."""
    return made_scope(*FLAGS, dialect=(*DIALECT, *CONSUMER), secrets=SECRETS)


def written(here: Scope, values: dict[str, Any]) -> dict[str, str]:
    done = Resolved()
    done.values = dict(values)
    done.origins = {name: [Origin(TOKEN, name)] for name in values}
    env, findings = write_env(done, here)
    harmless = ("secret-moved", "secret-on-argv", "kept-in-extra-args", "newer-than-platform")
    assert all(item.code in harmless for item in findings), findings
    return env


@pytest.mark.parametrize(
    ("values", "env"),
    [
        ({"--model": "m"}, {"MODEL_NAME": "m"}), ({"--num": 5}, {"NUM": "5"}), ({"--on": True}, {"ON": "true"}), ({"--on": False}, {"ON": "false"}),
        ({"--sw": True}, {"SW": "true"}), ({"--sw": False}, {}),
        ({"--j": {"a": 1}}, {"J": '{"a":1}'}), ({"--l": ["a", "b"]}, {"L": "a,b"}), ({"--l": ["a,b"]}, {"L": '["a,b"]'}),
        ({"--config": "x.yaml"}, {"CONFIG_FILE": "x.yaml"}), ({"--port": 80}, {"EXTRA": "--port=80"}),
        ({"--text": ""}, {"EXTRA": "--text="}), ({"--text": "None"}, {"EXTRA": "--text=None"}), ({"--text": " "}, {"EXTRA": "--text=' '"}),
        ({"--text": "it's"}, {"TEXT": "it's"}), ({"--unset": 0}, {"EXTRA": "--unset=0"}),
        ({"--unset": 1}, {"UNSET": "1"}), ({"--key": ["k"]}, {"VLLM_KEY": "k"}), ({"--opt": True}, {"EXTRA": "--opt"}), ({"--opt": "x"}, {"OPT": "x"}),
        ({"--size": 1000}, {"SIZE": "1000"}), ({"--own": 1}, {"EXTRA": "--own=1"}),
        ({"--num": 1, "--port": 80, "--text": ""}, {"NUM": "1", "EXTRA": "--port=80 --text="}),
    ],
)  # fmt: skip
def test_variables_for_ourselves(alone: Scope, values: dict[str, Any], env: dict[str, str]) -> None:
    """The flag's name in capitals, an alias where that means something else, and further tokens for
    what no variable can say.
    """
    assert written(alone, values) == env


@pytest.mark.parametrize(
    ("values", "env"),
    [
        ({"--num": 5}, {"NUM": "5"}), ({"--num": -5}, {"NUM": "-5"}), ({"--text": "x y"}, {"TEXT": "x y"}), ({"--text": "-x"}, {"EXTRA": "--text=-x"}),
        ({"--text": " x"}, {"EXTRA": "--text=' x'"}),
        ({"--zero": 0}, {"EXTRA": "--zero=0"}), ({"--zero": 1}, {"ZERO": "1"}), ({"--l": ["a"]}, {"L": "a"}), ({"--l": ["a", "b"]}, {"EXTRA": "--l a b"}),
        ({"--l": ["a,b"]}, {"EXTRA": "--l=a,b"}),
        ({"--on": False}, {"ON": "false"}), ({"--sw": True}, {"SW": "true"}), ({"--j": {"a": 1}}, {"J": '{"a":1}'}), ({"--opt": "x"}, {"EXTRA": "--opt=x"}),
        ({"--model": "m"}, {"MODEL_NAME": "m"}),
    ],
)  # fmt: skip
def test_variables_for_the_consumer_too(
    shared: Scope, values: dict[str, Any], env: dict[str, str]
) -> None:
    """One token a value as it stands; what it does not know, or would read otherwise, goes into
    further tokens.
    """
    assert written(shared, values) == env


def test_a_flag_that_the_consumers_vllm_no_longer_has_keeps_its_variable() -> None:
    """The release of the consumer that ran the older vLLM read it."""
    made = made_scope(
        "--old kind=int",
        dialect=tuple(line.replace(VERSION, "99.0.0") for line in CONSUMER),
        older={"99.0.0": ("--num kind=int",)},
    )
    assert written(made, {"--old": 1}) == {"OLD": "1"}


def test_the_variable_of_a_flag(alone: Scope) -> None:
    """Its own name, an alias, the file's, or none."""
    names = ("--num", "--model", "--config", "--port")
    found = [variable_for(name, alone) for name in names]
    assert found == ["NUM", "MODEL_NAME", "CONFIG_FILE", None]
