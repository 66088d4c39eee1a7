"""Command lines and environments of any version, made of what the real parsers are asked, too."""

import functools
import json
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from support import catalogs, forms
from support.examples import TIMES
from support.forms import MODEL
from support.samples import WORDS, by_env, in_capitals, lines

from laws.meaning import meaning
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import Catalog, Flag, shipped

VERSIONS = shipped().versions()
# Flags that vLLM looks for by name before argparse does, with rules of their own.
SPECIAL = ("--model", "--config")

TEXT = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=12
) | st.sampled_from((*WORDS, "None", "--x", "-", "tcp://h:1/?a=b", "1k", "'x'"))
CASES = Path(__file__).parents[1] / "cases"
# Version → line → whether the real parser takes it.
SPOILT: dict[str, dict[str, bool]] = json.loads((CASES / "spoilt_lines.json").read_text("utf-8"))

# What no reader expects.
HOSTILE_TEXTS = (
    "\0", "\udc80", "{" * 300, "[" * 300 + "]" * 300, '{"a": NaN}', "9" * 5000, "-" + "9" * 5000, "1e999", "nan", "0x10", "١٢", "1" * 5000 + "k",
    "9" * 400 + "t",
    '{"a": 1, "a": 2}', "'{'", '"{"', "{1: 2}", "[{}]", "[null]", "b'x'", "{'a': {1, 2}}", "{'a': ...}", "1k" * 100, "=", ",", ",,", "=,=", "--", "true\n",
    " \t ",
    "${HOME}", "%s%n", "\u2028", "\x1b[31m", "a" * 10000, '{"\\ud800": 1}', '{"a": "\\u0000"}', "tcp://10.0.0.1:8000", "..", ".", "+", "--x.y+=1",
)  # fmt: skip


def examples(number: int) -> settings:
    """So many examples, times TRANSLATE_EXAMPLES."""
    return settings(max_examples=max(1, round(number * TIMES)))


@functools.cache
def catalog(version: str) -> Catalog:
    return shipped().catalog(version)


@functools.cache
def flags(version: str) -> tuple[Flag, ...]:
    """The flags of a version that need no special care."""
    return tuple(flag for flag in catalog(version).flags() if flag.flag not in SPECIAL)


@functools.cache
def entries(version: str) -> dict[str, dict[str, Any]]:
    """The committed entry of each flag."""
    return {entry["flag"]: entry for entry in catalogs.catalog(version)["flags"]}


@functools.cache
def forms_of(version: str, name: str) -> list[forms.Argv]:
    """Every form of a flag, but those whose beginning of a spelling is one with rules of its own."""
    made = forms.of_flag(entries(version)[name], catalogs.spellings(version))
    return [argv for argv in made if argv[0].partition("=")[0] not in SPECIAL]


@st.composite
def command_lines(draw: st.DrawFn, version: str) -> list[str]:
    """The tokens behind `vllm serve`: a model and some flags, most of which the version takes."""
    found = [MODEL]
    for flag in draw(st.lists(st.sampled_from(flags(version)), max_size=5)):
        text = TEXT.map(f"{flag.flag}={{}}".format)
        tokens = draw(st.sampled_from(forms_of(version, flag.flag)) | st.tuples(text))
        if meaning([MODEL, *tokens], version) is not None or draw(st.integers(0, 9)) == 0:
            found += tokens
    return found


@functools.cache
def known_names() -> tuple[str, ...]:
    """Every name that any version or the dialect knows: flags in capitals, and variables."""
    tables = shipped()
    names = {in_capitals(name) if name.startswith("-") else name for name in tables.names()}
    names.update(name for name in tables.records("dialect.runpod.json") if not name.startswith("@"))
    return tuple(sorted(name for name in names if name and not name.startswith("VERSIONS")))


@st.composite
def environments(draw: st.DrawFn, version: str) -> dict[str, str]:
    """A model, some settings of the version, and now and then a name of another version or of the
    platform.
    """
    env = {"MODEL_NAME": MODEL}
    for flag in draw(st.lists(st.sampled_from(flags(version)), max_size=4)):
        way = draw(st.sampled_from(list(by_env(entries(version)[flag.flag]))))
        env[way.name] = way.text
    if draw(st.integers(0, 2)) == 0:
        texts = ("1", "true", "0", "8", "auto", "org/x", "{}", '{"a": 1}', "0.5", "None", "")
        env[draw(st.sampled_from(known_names()))] = draw(st.sampled_from(texts) | TEXT)
    if draw(st.integers(0, 9)) == 0:
        files = ("/etc/vllm.yaml", "a b.yml", "x.json", "-x.yaml", "")
        env["VLLM_CONFIG_FILE"] = draw(st.sampled_from(files))
    return env


def samples(flag: Flag, version: str, most: int = 24) -> list[list[str]]:
    """Token lists that use a flag once, about so many: the first that is tried, and some of the
    others, in each version others.

    Not a secret that begins with a dash: a platform's own program could only read it among further
    tokens, and that is no place for it.
    """
    is_secret = flag.flag in secrets_of(shipped()).variables
    found = [
        list(tokens)
        for tokens in lines(entries(version)[flag.flag])
        if not (is_secret and "=-" in tokens[0])
    ]
    step = max(1, len(found) // most)
    return [found[0], *found[1 + VERSIONS.index(version) % step :: step]]
