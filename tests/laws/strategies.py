"""Command lines and environments of any version, made from what its catalog says.

Nothing here uses the library's own writers: what is typed by hand is put together anew, in every
spelling that the grammar has.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from support.examples import TIMES
from support.samples import WORDS, lines
from support.tables import committed

from translator.secrets import secrets_of
from translator.tables.catalog import Catalog, Flag, shipped
from translator.tables.shapes import problems

Shape = dict[str, Any]
VERSIONS = shipped().versions()
MODEL = "org/model"
# Flags that vLLM looks for by name before argparse does, with rules of their own.
SPECIAL = ("--model", "--config")

TEXT = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=12
) | st.sampled_from((*WORDS, "None", "--x", "-", "tcp://h:1/?a=b", "1k", "'x'"))
WORD = st.text("abcxyzABC0189_./:@", min_size=1, max_size=10)
KEY = st.text("abcxyz_", min_size=1, max_size=6)
INTEGER = st.integers(-3, 300) | st.sampled_from((4096, 10**6, 10**12, 2**40))
FLOAT = st.floats(allow_nan=False, width=32) | st.sampled_from((0.5, 0.9, 1.0, 0.0, -0.5, 1e-7))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | INTEGER | FLOAT | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY | TEXT, inner, max_size=3),
    max_leaves=5,
)

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


# --- values ---------------------------------------------------------------------------------------


@st.composite
def fitting(draw: st.DrawFn, shape: Shape, depth: int = 0) -> Any:
    """A JSON value of a shape (a few do not fit after all: rules between neighbours are left to
    `problems`).
    """
    if shape.get("also") and draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(shape["also"]))
    if shape.get("nullable") and draw(st.integers(0, 5)) == 0:
        return None
    kind = shape["kind"]
    if kind == "object":
        keys = sorted(shape["keys"])
        chosen = draw(st.lists(st.sampled_from(keys), unique=True, max_size=3)) if keys else []
        chosen += [key for key in shape.get("required", ()) if key not in chosen]
        value = {key: draw(fitting(shape["keys"][key], depth + 1)) for key in chosen}
        for rule in shape.get("rules", ()):
            if rule["key"] in value:
                other, allowed = next(iter(rule["needs"].items()))
                value.setdefault(other, (allowed or ["abc"])[0])
        return value
    if kind == "union":
        return draw(st.one_of([fitting(item, depth + 1) for item in shape["of"]]))
    if kind == "list":
        least, most = shape.get("min_length", 0), shape.get("max_length", 3)
        if "length" in shape:
            least = most = shape["length"]
        return draw(st.lists(fitting(shape["items"], depth + 1), min_size=least, max_size=most))
    if kind == "map":
        return draw(st.dictionaries(KEY, fitting(shape["values"], depth + 1), max_size=2))
    if kind == "choice":
        return draw(st.sampled_from(shape["choices"]))
    if kind == "bool":
        return draw(st.booleans())
    if kind in ("int", "float"):
        return draw(_numbers(shape, kind))
    if kind == "str":
        return draw(st.sampled_from(shape.get("prefixes", ("",)))) + draw(
            st.text("abc/.-_ é1", min_size=shape.get("min_length", 0), max_size=8)
        )
    return draw(JSON)


def _numbers(shape: Shape, kind: str) -> st.SearchStrategy[Any]:
    least = shape.get("ge", shape.get("gt", -1) + 1)
    if kind == "int":
        below = shape["lt"] - 1 if shape.get("lt", least) - 1 > least else least + 5000
        return st.integers(least, shape.get("le", below))
    below = shape["lt"] - 0.125 if "lt" in shape else least + 100
    return st.floats(float(least), float(shape.get("le", below)), width=64)


def value_texts(flag: Flag, version: str) -> st.SearchStrategy[str]:
    """Value tokens for a flag, most of which its version takes."""
    texts = _value_texts(flag, version)
    if flag.nullable:
        texts |= st.just("None")
    return texts


def _value_texts(flag: Flag, version: str) -> st.SearchStrategy[str]:
    kind = flag.kind
    if flag.choices:
        texts = st.sampled_from([str(item) for item in flag.choices])
        return texts | texts.map(str.upper) if flag.fold else texts
    if kind == "bool-value":
        return st.sampled_from(("true", "false", "True"))
    if kind == "int" or (kind in ("list", "append") and flag.element == "int"):
        return INTEGER.map(str) | st.sampled_from((" 7 ", "+3", "1_000"))
    if kind in ("size", "size-or-auto"):
        sized = st.builds("{}{}".format, st.integers(0, 500), st.sampled_from(("", *flag.suffixes)))
        return sized | st.sampled_from(
            ("25.6k", "auto", "-1") if kind == "size-or-auto" else ("25.6k", "-1")
        )
    if kind == "float" or (kind in ("list", "append") and flag.element == "float"):
        return FLOAT.map(repr) | st.sampled_from(("1", "1e-3", "inf", "nan"))
    if kind in ("list", "append"):
        return _elements(flag)
    if kind == "json":
        return _json_texts(flag, version)
    if kind == "json-or-str":
        return TEXT | st.dictionaries(KEY, JSON, max_size=3).map(json.dumps)
    return TEXT


def _elements(flag: Flag) -> st.SearchStrategy[str]:
    if not flag.element.startswith("named-path"):
        return TEXT
    pairs = st.builds("{}={}".format, KEY, st.text("abc/._-", min_size=1, max_size=8))
    return (
        pairs | st.builds(lambda name, path: json.dumps({"name": name, "path": path}), TEXT, WORD)
        if flag.objects
        else pairs
    )


def _json_texts(flag: Flag, version: str) -> st.SearchStrategy[str]:
    if flag.syntax == "pairs":
        return st.dictionaries(KEY, st.integers(0, 9), min_size=1, max_size=2).map(
            lambda found: ",".join(f"{key}={item}" for key, item in found.items())
        )
    shape = catalog(version).shape(flag.flag) if flag.shaped else None
    values = (
        JSON
        if shape is None
        else fitting(shape).filter(lambda value: not any(problems(value, shape)))
    )
    dense = functools.partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    texts = (
        values.map(repr) if flag.syntax == "python" else values.map(json.dumps) | values.map(dense)
    )
    if flag.syntax == "pairs-or-json":
        texts = st.dictionaries(KEY, st.integers(0, 9), max_size=2).map(json.dumps)
    return texts | st.sampled_from(("0", "3")) if flag.level else texts


# --- what a person types --------------------------------------------------------------------------


@functools.cache
def _abbreviations(version: str, spelling: str) -> tuple[str, ...]:
    """Every unambiguous abbreviation of a long spelling."""
    known = [*catalog(version).spellings(), "--help"]
    found = []
    for end in range(4, len(spelling)):
        short = spelling[:end]
        if short[-1] != "-" and sum(name.startswith(short) for name in known) == 1:
            found.append(short)
    return tuple(found)


@st.composite
def spelled(draw: st.DrawFn, version: str, names: list[str]) -> str:
    """One of the spellings, with underscores or abbreviated as it comes."""
    name = draw(st.sampled_from(names))
    if name.startswith("--"):
        how = draw(st.integers(0, 4))
        if how == 0:
            return "--" + name[2:].replace("-", "_")
        if how == 1 and _abbreviations(version, name):
            return draw(st.sampled_from(_abbreviations(version, name)))
    return name


@st.composite
def usages(draw: st.DrawFn, version: str, flag: Flag) -> list[str]:
    """The tokens of one use of a flag."""
    if flag.kind in ("switch", "toggle"):
        return [draw(spelled(version, [flag.flag, *flag.aliases, *flag.negations]))]
    name = draw(spelled(version, [flag.flag, *flag.aliases]))
    if flag.bare and draw(st.integers(0, 3)) == 0:
        return [name]
    shape = catalog(version).shape(flag.flag) if flag.shaped else None
    if (
        catalog(version).grammar.dotted
        and shape is not None
        and shape["kind"] == "object"
        and draw(st.booleans())
    ):
        return draw(_dotted(name, shape, version))
    text = draw(value_texts(flag, version))
    if flag.kind == "list" and draw(st.booleans()):
        return [name, text, *draw(st.lists(value_texts(flag, version), max_size=2))]
    joined = not name.startswith("--") and flag.kind == "int" and draw(st.booleans())
    if joined and len(name) == 2:
        return [name + text]
    return [f"{name}={text}"] if draw(st.integers(0, 2)) else [name, text]


@st.composite
def _dotted(draw: st.DrawFn, name: str, shape: Shape, version: str) -> list[str]:
    """Some keys of a JSON flag, each as dotted key."""
    value = draw(fitting(shape))
    if not isinstance(value, dict):
        return [f"{name}={json.dumps(value)}"]
    found: list[str] = []
    for key, item in value.items():
        plain = (
            isinstance(item, list)
            and item
            and all(isinstance(part, str) and part and "," not in part for part in item)
        )
        if plain and draw(st.booleans()):
            found.append(f"{name}.{key}+={','.join(item)}")
        else:
            as_it_is = isinstance(item, str) and item and draw(st.booleans())
            text = item if as_it_is else json.dumps(item)
            found += [f"{name}.{key}={text}"] if draw(st.booleans()) else [f"{name}.{key}", text]
    return found


@st.composite
def command_lines(draw: st.DrawFn, version: str) -> list[str]:
    """The tokens behind `vllm serve`: a model and some flags, most of which the version takes."""
    chosen = draw(st.lists(st.sampled_from(flags(version)), max_size=5))
    found = [MODEL]
    for flag in chosen:
        found += draw(usages(version, flag))
    return found


# --- environments ---------------------------------------------------------------------------------


def broken_lines(version: str) -> st.SearchStrategy[list[str]]:
    """Lines out of anything: flags in every spelling, with and without values, strays, `--`, what
    looks like an option.
    """
    words = st.sampled_from(
        ("m", "x", "1", "-1", "true", "{}", '{"a":1}', "--", "-", "--no-such", "-x", "--help", "--max", "--model", "--model=m", "--config",
         "a.yaml", "-O3", "--a.b", "")
    )  # fmt: skip
    names = st.sampled_from(sorted(catalog(version).spellings()))
    return st.lists(
        words | names | st.builds("{}={}".format, names, words) | st.builds("{}.key".format, names),
        max_size=6,
    )


def capitals(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_").upper()


@st.composite
def variables(draw: st.DrawFn, version: str) -> tuple[str, str]:
    """One variable that sets a flag of the version, most of the time to a value that it takes."""
    flag = draw(st.sampled_from(flags(version)))
    name = capitals(flag.flag)
    if flag.kind in ("switch", "toggle", "bool-value"):
        return name, draw(st.sampled_from(("true", "1", "YES", "on", "False", "0", "no", "OFF")))
    shape = catalog(version).shape(flag.flag) if flag.shaped else None
    if shape is not None and shape["kind"] == "object" and shape["keys"] and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(shape["keys"])))
        value = draw(fitting(shape["keys"][key]))
        return f"{name}__{key.upper()}", value if isinstance(value, str) else json.dumps(value)
    if draw(st.integers(0, 20)) == 0:
        name += "__" + draw(st.sampled_from(("X", "A__B", "")))
    if flag.kind in ("list", "append"):
        texts = draw(st.lists(value_texts(flag, version), min_size=1, max_size=3))
        return name, json.dumps(texts) if draw(st.booleans()) else ",".join(texts)
    if flag.kind in ("int", "size", "size-or-auto") and draw(st.booleans()) and not flag.choices:
        return name, draw(st.sampled_from(("1k", "2K", "25.6k", "1m", "7")))
    return name, draw(value_texts(flag, version))


@functools.cache
def known_names() -> tuple[str, ...]:
    """Every name that any version or the dialect knows: flags in capitals, and variables."""
    tables = shipped()
    names = {capitals(name) if name.startswith("-") else name for name in tables.index()}
    names.update(name for name in tables.records("dialect.runpod.json") if not name.startswith("@"))
    return tuple(sorted(name for name in names if name and not name.startswith("VERSIONS")))


@st.composite
def environments(draw: st.DrawFn, version: str) -> dict[str, str]:
    """A model, some settings of the version, and now and then a name of another version or of the
    platform.
    """
    env = {"MODEL_NAME": MODEL}
    env.update(draw(st.lists(variables(version), max_size=4)))
    if draw(st.integers(0, 2)) == 0:
        texts = ("1", "true", "0", "8", "auto", "org/x", "{}", '{"a": 1}', "0.5", "None", "")
        env[draw(st.sampled_from(known_names()))] = draw(st.sampled_from(texts))
    if draw(st.integers(0, 9)) == 0:
        files = ("/etc/vllm.yaml", "a b.yml", "x.json", "-x.yaml", "")
        env["VLLM_CONFIG_FILE"] = draw(st.sampled_from(files))
    return env


# --- without chance: some values of every flag ----------------------------------------------------


@functools.cache
def _committed(version: str) -> dict[str, dict[str, Any]]:
    return {flag["flag"]: flag for flag in committed(version)["flags"]}


def samples(flag: Flag, version: str, most: int = 24) -> list[list[str]]:
    """Token lists that use a flag once, about so many: the first that is tried, and some of the
    others, in each version others.

    Not a secret that begins with a dash: a platform's own program could only read it among further
    tokens, and that is no place for it.
    """
    is_secret = flag.flag in secrets_of(shipped()).carriers
    found = [
        list(tokens)
        for tokens in lines(_committed(version)[flag.flag])
        if not (is_secret and "=-" in tokens[0])
    ]
    step = max(1, len(found) // most)
    return [found[0], *found[1 + VERSIONS.index(version) % step :: step]]
