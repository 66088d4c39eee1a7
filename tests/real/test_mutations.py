"""Random command lines, made by spoiling valid ones: we accept exactly those that the real parser
accepts, with the same meaning.
"""

import random

from support import forms

from .conftest import RANDOM, SEED
from .laws import Argv, Tally, accepted, round_trip
from .parsers import Parsers

STRAY = (
    "abc", "-1", "--", "-", "", "--x", "-x", "--max-model-len", "3", "{}", '{"a": 1}', "=", "--=", "-tp", "--enforce-eager=1", "true", "None", "ü", "--a.b",
    "--a.b+", "--no-",
)  # fmt: skip
CHARACTERS = "abcxyz-_.=+0123 {}\"'k"


def misspelt(rng: random.Random, token: str) -> str:
    """One character less, more, other, or two swapped."""
    if not token:
        return rng.choice(CHARACTERS)
    place = rng.randrange(len(token))
    return rng.choice((
        token[:place] + token[place + 1 :],
        token[:place] + rng.choice(CHARACTERS) + token[place:],
        token[:place] + rng.choice(CHARACTERS) + token[place + 1 :],
        token[:place] + token[place + 1 : place + 2] + token[place] + token[place + 2 :],
        token[:place],
        token.swapcase(),
        token.replace("-", "_"),
    ))  # fmt: skip


def value_of(rng: random.Random, pool: list[Argv]) -> str:
    """Some value of some flag."""
    return rng.choice(rng.choice(pool)).partition("=")[2] or rng.choice(STRAY)


def spoilt(rng: random.Random, tokens: list[str], pool: list[Argv]) -> list[str]:
    """One mutation of an argv."""
    tokens = list(tokens) or [""]
    place = rng.randrange(len(tokens))
    name, equals, value = tokens[place].partition("=")
    how = rng.randrange(12)
    if how == 0:
        del tokens[place]
    elif how == 1:
        tokens[place:place] = tokens[place : place + rng.randint(1, 2)]
    elif how in (2, 3):
        tokens[place] = misspelt(rng, name) + equals + value
    elif how == 4:
        tokens[place] = name + equals + misspelt(rng, value) if equals else misspelt(rng, name)
    elif how in (5, 6):
        tokens[place] = (
            f"{name}={value_of(rng, pool)}"
            if equals or name.startswith("-")
            else value_of(rng, pool)
        )
    elif how == 7:
        tokens.insert(place, rng.choice(STRAY))
    elif how == 8 and place + 1 < len(tokens):
        tokens[place], tokens[place + 1] = tokens[place + 1], tokens[place]
    elif how == 9:
        tokens[place : place + 1] = [name, value] if equals else [name]
    elif how == 10 and place + 1 < len(tokens):
        tokens[place : place + 2] = [f"{tokens[place]}={tokens[place + 1]}"]
    else:
        tokens[place] = (
            name + rng.choice((".a", ".a.b", ".a+", "+", ".", "-a", " ")) + equals + value
        )
    return tokens


def command(rng: random.Random, pool: list[Argv]) -> Argv:
    """One to four valid flags, the model somewhere (or not), and up to three mutations."""
    parts = [list(rng.choice(pool)[1:]) for _ in range(rng.randint(1, 4))]
    where = rng.choice((0, 0, 0, 0, 0, 0, len(parts), rng.randint(0, len(parts)), None))
    if where is not None:
        parts.insert(where, [forms.MODEL] if rng.random() < 0.9 else ["--model", forms.MODEL])
    tokens = [token for part in parts for token in part]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        tokens = spoilt(rng, tokens, pool)
    return tuple(tokens)


def spoilt_commands(parsers: Parsers, version: str, rng: random.Random, number: int) -> list[Argv]:
    """So many, none twice."""
    valid = accepted(parsers, version, forms.of(version))
    pool = [argv for argv in valid if argv[:1] == (forms.MODEL,) and argv[1:]]
    commands: dict[Argv, None] = {}
    while len(commands) < number:
        found = command(rng, pool)
        # Secrets do not come back through argv, and files are read from where the tests happen to
        # run.
        if not any(
            token.lstrip("-").replace("_", "-").startswith(("api", "hf-t", "conf"))
            for token in found
        ):
            commands[found] = None
    return list(commands)


def test_random_commands(version: str, parsers: Parsers, tally: Tally) -> None:
    """As many as TRANSLATE_REAL_RANDOM says; the same ones for the same TRANSLATE_REAL_SEED."""
    rng = random.Random(f"{SEED} {version}")
    round_trip(parsers, tally, spoilt_commands(parsers, version, rng, RANDOM))
    tally.settle()
