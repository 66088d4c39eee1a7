"""Law 6: nothing crashes. Of hostile input (deep, ill-formed, of any character) comes an answer or
a TranslationError, whose findings are short and printable. What it costs: tests/growth.
"""

import json
import shlex
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from cases import NEWEST
from fuzz.inputs import answer, fit
from growth.surfaces import TEXTS, told
from hypothesis import example, given
from hypothesis import strategies as st
from laws.meaning import meaning
from laws.strategies import HOSTILE_TEXTS, TEXT, VERSIONS, catalog, examples, known_names
from support.consumers import DIALECTS
from support.dialects import refused
from support.examples import some

from translator import args_to_env, check, convert, env_to_args
from translator.core.argv.parser import stands

DEEP = (
    '{"a":' * 20_000 + "1" + "}" * 20_000, "[" * 20_000 + "]" * 20_000, "[" * 20_000, "{'a':" * 20_000 + "1" + "}" * 20_000,
    "[" + "(" * 20_000 + ")" * 20_000 + "]", "[" + "-" * 20_000 + "1]", '{"a": "' + "[" * 20_000 + '"}', "'" * 20_000, '{"a": "' + "\\" * 20_000 + '"}',
)  # fmt: skip
# Beside HOSTILE_TEXTS, what a reader of numbers, JSON or Python may stumble over.
ODD = (
    '{"a": NaN, "b": [Infinity, -Infinity]}', '{"a": 1, "a": {"b": 2}}', '{"a": ' + "9" * 5000 + "}", "{'a': " + "9" * 5000 + "}", "9" * 5000 + "K",
    "1e999999999", '{"a": 1e999999999}', '\ufeff{"a": 1}', "\u202eabc", "a\u2028b\u2029c\x85d", "f'{1}'", "9**9**9", "__import__('os').system('true')", "...",
    "x\nerror[fake]: all is lost\r\x1b[2J", "\ud83e\udd99", "a\ud800b", "\ue0d0",
)  # fmt: skip
HOSTILE = TEXT | st.text(max_size=20) | st.sampled_from((*HOSTILE_TEXTS, *ODD))


@pytest.mark.parametrize("surface", TEXTS)
def test_a_hostile_text_is_read_or_refused(surface: str) -> None:
    """By everything that reads one: kinds of flags and variables, files, tables, the writers."""
    turn = list(TEXTS).index(surface)
    for text in (*some((*HOSTILE_TEXTS, *ODD), turn), DEEP[turn % len(DEEP)]):
        told(TEXTS[surface], text)


@examples(16)
@given(vllm=st.sampled_from(VERSIONS), text=HOSTILE)
@example(vllm="0.5.2", text="9" * 5000)  # the choices of BLOCK_SIZE are numbers
def test_no_value_of_any_variable_crashes(vllm: str, text: str) -> None:
    """Every name that is known anywhere, one at a time and then all at once."""
    for name in some(known_names(), VERSIONS.index(vllm)):
        answer(lambda name=name: env_to_args({"MODEL_NAME": "m", name: text}, vllm=vllm))
    answer(lambda: env_to_args(dict.fromkeys(known_names(), text), vllm=vllm))


PREFIXES = ("", "SM_VLLM_", "OPTION_", "MY_", "VLLM_", "HF_OVERRIDES__")


@given(
    vllm=st.sampled_from(VERSIONS), dialect=st.sampled_from(DIALECTS),
    env=st.dictionaries(
        st.sampled_from(known_names()) | st.builds("{}{}".format, st.sampled_from(PREFIXES), HOSTILE)
        | st.builds("{}__{}".format, st.sampled_from(known_names()), HOSTILE), HOSTILE, max_size=12,
    ),
)  # fmt: skip
@examples(300)
def test_no_environment_crashes(vllm: str, dialect: str, env: dict[str, str]) -> None:
    """Hostile names and values together."""
    answer(lambda: env_to_args(env, vllm=vllm, dialect=dialect))
    answer(lambda: env_to_args(env, vllm=vllm, json_style="dotted", worker_defaults=True))
    fit(check(env, vllm, dialect))
    answer(lambda: convert(env, "0.10.2", vllm, dialect=dialect, to_dialect="sagemaker"))


@given(vllm=st.sampled_from(VERSIONS), dialect=st.sampled_from(DIALECTS), data=st.data())
@examples(400)
def test_no_command_line_crashes(vllm: str, dialect: str, data: st.DataObject) -> None:
    """Hostile tokens, alone and behind real flags; what is written of them can be encoded, as bytes
    that are not UTF-8 are surrogates of Python's.
    """
    spelling = st.sampled_from(sorted(catalog(vllm).spellings()))
    token = (
        spelling
        | HOSTILE
        | st.builds("{}={}".format, spelling, HOSTILE)
        | st.builds("{}.{}={}".format, spelling, HOSTILE, HOSTILE)
        | st.builds("{}.a+".format, spelling)
    )
    tokens = data.draw(st.lists(token, max_size=8))
    made = answer(lambda: args_to_env(tokens, vllm=vllm, dialect=dialect))
    if made is not None:
        for text in made.env.values():
            text.encode("utf-8", "surrogateescape")
        answer(lambda: env_to_args(made.env, vllm=vllm, dialect=dialect))
    for head in (["vllm", "serve"], ["python3", "-m", "vllm.entrypoints.openai.api_server"]):
        answer(lambda head=head: args_to_env([*head, *tokens], vllm=vllm))
    further = {"MODEL_NAME": "m", "VLLM_EXTRA_ARGS": shlex.join(tokens)}
    answer(lambda: env_to_args(further, vllm=vllm))
    answer(lambda: env_to_args({"MODEL_NAME": "m"}, vllm=vllm, extra=tokens))


def test_made_up_names_do_not_fill_the_memory() -> None:
    """A caller that translates ever new names: what is kept of them is bounded."""

    def called(name: str) -> None:
        for turn in range(3):
            new = {f"{name}_{turn}_{number}": "x" for number in range(10_000)}
            env_to_args({"MODEL_NAME": "m", **new}, vllm="0.32.0")

    called("NAME")
    tracemalloc.start()
    called("LATER")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2 * 10**6


@pytest.mark.parametrize(
    "call",
    [
        lambda: args_to_env(["m", "--=x"], vllm="0.33.0"),  # an abbreviation of every flag
        lambda: env_to_args({"MODEL_NAME": "m", "COMPILATION_CONFIG__" + "A" * 5000: "1"}, vllm="0.33.0"),
        lambda: env_to_args({"MODEL_NAME": "m", "COMPILATION_CONFIG": '{"' + "a" * 5000 + '": 1}'}, vllm="0.33.0"),
        lambda: env_to_args({"MODEL_NAME": "m"}, vllm="0.33.0", cluster="a" * 5000),
        lambda: args_to_env(["m", *["--task=embed", "--swap-space=4"] * 500], vllm="0.33.0"),
    ],
)  # fmt: skip
def test_no_finding_is_longer_than_a_person_reads(call: Callable[[], Any]) -> None:
    """Names of flags and keys are listed up to a number, and shortened, as values are."""
    answer(call)


@pytest.mark.parametrize("levels", [201, 700, 10_000])
def test_dotted_keys_and_variables_may_not_nest_deeper_than_json(levels: int) -> None:
    """Each level of `--flag.a.a.a` and `NAME__A__A__A` is one of JSON, whose writer recurses."""
    dotted = ".".join("a" * levels)
    for flag in ("--hf-overrides", "--speculative-config", "--no-such"):
        line = ["m", f"{flag}.{dotted}=1"]
        assert [code for code, _ in refused(args_to_env, line, "0.33.0")] == ["bad-json"]
    for name in ("HF_OVERRIDES", "SPECULATIVE_CONFIG"):
        env = {"MODEL_NAME": "m", name + "__A" * levels: "1"}
        assert [code for code, _ in refused(env_to_args, env, "0.33.0")] == ["bad-json"]
    args_to_env(["m", "--hf-overrides." + ".".join("a" * 150) + "=1"], vllm="0.33.0")


@pytest.mark.parametrize("text", ["--a b_c", "-O2 x", "--a_b=c d", "-O.a b"])
@pytest.mark.parametrize("vllm", ["0.8.5", "0.12.0", NEWEST])
def test_a_value_that_vllm_would_rewrite_does_not_stand_alone(text: str, vllm: str) -> None:
    """A token with a blank in it is a value to argparse, but before that, vLLM makes dashes of the
    underscores in whatever begins with two dashes.
    """
    for values in ([text, "z"], [text]):
        env = {"MODEL_NAME": "m", "SERVED_MODEL_NAME": json.dumps(values)}
        if len(values) > 1 and not stands(text, catalog(vllm)):
            assert refused(env_to_args, env, vllm) == [("not-on-argv", "SERVED_MODEL_NAME")]
            continue
        argv = env_to_args(env, vllm=vllm).argv
        assert meaning(argv[2:], vllm) == {"--model": "m", "--served-model-name": values}
