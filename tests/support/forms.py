"""Command lines to try: every flag of a version in every form that its grammar might know.

In: a version. Out: argvs (what follows `vllm serve`), not necessarily valid ones: the real parser
says which are.
"""

import functools
from collections.abc import Iterator

from . import samples
from .catalogs import SECRETS, catalog, spellings
from .samples import Flag

Argv = tuple[str, ...]
MODEL = "org/m"
APART = 3  # values of a flag that are also tried apart from it, as a token of their own
ELSEWHERE = frozenset(
    {"--model", "--config", *SECRETS}
)  # flags with tests (or a place) of their own


def underscored(text: str) -> str:
    """`--a-b=c-d` as `--a_b=c-d`."""
    name, equals, value = text.partition("=")
    return "--" + name[2:].replace("-", "_") + equals + value if name.startswith("--") else text


def shortest(name: str, known: list[str]) -> str | None:
    """The shortest beginning of a long spelling that no other spelling has."""
    others = [other for other in known if other != name]
    for end in range(3, len(name)):
        if not any(other.startswith(name[:end]) for other in others):
            return name[:end]
    return None


def names(flag: Flag, known: list[str]) -> list[str]:
    """Spellings of one flag: its own first, underscored and abbreviated ones, a beginning that is
    too short, every alias.
    """
    found = [flag["flag"], underscored(flag["flag"])]
    short = shortest(flag["flag"], known)
    if short is not None:
        found += [short, underscored(short), short[:-1]]
    for alias in flag.get("aliases", ()):
        found += [alias, underscored(alias)]
    return list(dict.fromkeys(found))


def switches(flag: Flag, known: list[str]) -> Iterator[Argv]:
    """A flag without a value: on, off, both, twice, and with a value all the same."""
    name = flag["flag"]
    for spelling in names(flag, known):
        yield (spelling,)
    for negation in flag.get("negations", ()):
        short = shortest(negation, known)
        yield (negation,)
        yield (underscored(negation),)
        yield (name, negation)
        yield (negation, name)
        if short is not None:
            yield (short,)
    yield (name, name)
    for value in ("true", "false", "1", ""):
        yield (f"{name}={value}",)
        yield (name, value)


def valued(flag: Flag, known: list[str]) -> Iterator[Argv]:
    """A flag with a value: joined, apart, joined to a short spelling, twice, in every spelling."""
    name = flag["flag"]
    found = samples.uses(flag)
    if flag.get("bare"):
        yield (name,)
        yield (name, "--enforce-eager")
    for position, use in enumerate(found):
        for spelling in names(flag, known) if position == 0 else [name]:
            joined = all(len(tokens) == 1 for tokens in use)
            if joined:
                yield tuple(f"{spelling}={tokens[0]}" for tokens in use)
            if joined and not spelling.startswith("--"):
                yield tuple(spelling + tokens[0] for tokens in use)
            if not joined or position < APART or use[0][0][:1] in ("", "-"):
                yield tuple(part for tokens in use for part in (spelling, *tokens))
    first, last = found[0][0], found[min(len(found) - 1, 1)][0]
    yield (name, *first, name, *last)
    yield (f"{name}={first[0]}", f"{underscored(name)}={last[0]}")
    yield (name,)


def dotted(flag: Flag, known: list[str]) -> Iterator[Argv]:
    """One key of a JSON flag at a time, keys beside the whole, and elements of lists."""
    name = flag["flag"]
    shape = flag.get("shape", {})
    seen: set[tuple[str, ...]] = set()
    if shape.get("kind") == "object":
        for path, value, whole in samples.keys(shape):
            if whole != samples.nested(path, value):
                continue
            text = value if isinstance(value, str) else samples.compact(value)
            key = ".".join((name, *path))
            yield (f"{key}={text}",)
            if path not in seen:
                seen.add(path)
                yield (key, text)
                yield (underscored(key), text)
                yield (key.replace("_", "-"), text)
        listed = [path for path, value, _ in samples.keys(shape) if isinstance(value, list)]
        for path in dict.fromkeys(listed):
            key = ".".join((name, *path))
            yield (f"{key}+", "a,b")
            yield (f"{key}+=a", f"{key}+=b")
            yield (key + "+", "1", f"{key}+=2,3")
    for spelling in (*names(flag, known), "-O" if name == "--compilation-config" else name):
        yield (f"{spelling}.a_b", "1")
        yield (f"{spelling}.a.b=x", f"{spelling}.a.c=1k", f"{spelling}.d", "true")
    yield (f"{name}.a+", "x,y", f"{name}.a+", "z")
    yield (f"{name}.a", "1", f"{name}.a.b", "2")
    yield (f'{name}={{"a": 1}}', f"{name}.b", "2")
    yield (f"{name}.b", "2", f'{name}={{"b": 1, "c": 3}}')
    yield (f"{name}.a", '{"b": [1]}')
    yield (f"{name}.a", "None", f"{name}.e", "-1.5")
    yield (f"{name}.",)
    yield (f"{name}.a",)
    yield (f'{name}={{"a": 1k}}',)


def others(known: list[str]) -> Iterator[Argv]:
    """What belongs to no single flag: where the model stands, optimization levels, tokens that
    belong nowhere.
    """
    yield ()
    yield (MODEL,)
    yield ("--model", MODEL)
    yield (f"--model={MODEL}",)
    yield (MODEL, "--model", "org/other")
    yield ("--max-num-seqs", "4", MODEL)
    yield ("--served-model-name", "a", "b", MODEL)
    yield ("--served-model-name", "a", "b", "--", MODEL)
    yield (MODEL, "--served-model-name", "a", "b", "--enforce-eager")
    yield (MODEL, "org/second")
    yield (MODEL, "")
    yield ("",)
    yield ("--", MODEL)
    yield (MODEL, "--no-such-flag")
    yield (MODEL, "--no-such-flag=3")
    yield (MODEL, "-x")
    yield (MODEL, "-1")
    yield (MODEL, "--")
    yield (MODEL, "-")
    yield (MODEL, "--help")
    yield (MODEL, "--version")
    yield (f" {MODEL} ",)
    yield ("/models/with space/m",)
    for level in ("0", "1", "2", "3", "4", "x"):
        yield (MODEL, f"-O{level}")
        yield (MODEL, f"-O={level}")
        yield (MODEL, "-O", level)
    yield (MODEL, "-O.backend=eager")
    yield (MODEL, "-O3", "--compilation-config", '{"cudagraph_capture_sizes": [1, 2]}')
    yield (MODEL, "-O.mode=3", "-O1")
    if "--optimization-level" in known:
        yield (MODEL, "--optimization-level", "1", "-O2")
    yield (MODEL, "-tp2", "-pp=2", "-q", "fp8")


def of_flag(flag: Flag, known: list[str]) -> Iterator[Argv]:
    """Every form of one flag, without a model."""
    if flag["kind"] in ("switch", "toggle"):
        yield from switches(flag, known)
    else:
        yield from valued(flag, known)
    if flag["kind"] in ("json", "json-or-str"):
        yield from dotted(flag, known)


@functools.cache
def of(version: str) -> tuple[Argv, ...]:
    """Every argv to try for a version."""
    known = spellings(version)
    found: list[Argv] = list(others(known))
    for flag in catalog(version)["flags"]:
        if flag["flag"] not in ELSEWHERE:
            found += [(MODEL, *argv) for argv in of_flag(flag, known)]
    return tuple(dict.fromkeys(found))
