"""What the parser takes and vLLM then refuses to start with: the real checks say the same, rule by
rule and at random (mappings/relations.toml), and so do the classes of the real engine, of numbers
beyond what the harvest has asked and of every key (the catalogs' `start`).
"""

import itertools
import json
import random
from typing import Any

from support.catalogs import catalog
from support.forms import MODEL
from support.tables import of_the_project

from translator.advice.check import check_argv
from translator.core.findings import REFUSED
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import shipped
from translator.core.tables.versions import Version, within
from translator.maintain.relations import names_of

from .conftest import SEED
from .laws import Argv, Tally, shell
from .parsers import Answer, Parsers

# Values of the flags that the rules speak of, where true and absent are not all. Ports and sizes
# fit each other: that they must is no rule of ours.
VALUES = {
    "--tool-call-parser": ("hermes",), "--reasoning-parser": ("deepseek_r1",), "--api-server-count": ("1", "2"), "--data-parallel-rank": ("0", "1"),
    "--data-parallel-start-rank": ("0", "2"), "--data-parallel-size": ("1", "4"), "--data-parallel-size-local": ("1", "2"), "--uds": ("/tmp/u",),
    "--sse-keep-alive-interval": ("0", "5", "-1"), "--grpc-port": ("50051", "-1"),
}  # fmt: skip
# The real check of these wants a pair, or a file: another story.
LEFT_OUT = ("--ssl-keyfile", "--ssl-certfile", "--ssl-ca-certs")


# What the engine's configuration refuses, or takes, whatever else there is.
ENGINE = [
    line.split()
    for line in (
        "--enable-elastic-ep",
        "--enable-elastic-ep --enable-expert-parallel --data-parallel-size=2",
        "--enable-elastic-ep --enable-eplb --enable-expert-parallel --tensor-parallel-size=2 --pipeline-parallel-size=2",
        "--enable-elastic-ep --enable-eplb --enable-expert-parallel --data-parallel-size=2 --data-parallel-rank=0",
        "--enable-elastic-ep --enable-eplb --enable-expert-parallel --data-parallel-size=4 --data-parallel-size-local=2 --data-parallel-hybrid-lb",
        "--enable-eplb",
        "--enable-eplb --data-parallel-size=2",
        "--enable-eplb --enable-expert-parallel",
        "--enable-eplb --enable-expert-parallel --pipeline-parallel-size=2",
        "--enable-eplb --enable-expert-parallel --data-parallel-size=2",
        "--enable-eplb --enable-expert-parallel --tensor-parallel-size=2",
        "--data-parallel-rank=0",
        "--data-parallel-rank=0 --data-parallel-size=1",
        "--data-parallel-rank=0 --data-parallel-size=2",
        "--data-parallel-external-lb",
        "--data-parallel-external-lb --data-parallel-size=2",
        "--data-parallel-external-lb --data-parallel-size=2 --headless",
        "--data-parallel-external-lb --data-parallel-rank=0",
        "--data-parallel-external-lb --data-parallel-size=2 --data-parallel-rank=1",
        "--data-parallel-external-lb --data-parallel-size=2 --nnodes=2 --node-rank=1 --distributed-executor-backend=mp",
        "--data-parallel-hybrid-lb",
        "--data-parallel-hybrid-lb --data-parallel-size=2",
        "--data-parallel-hybrid-lb --data-parallel-size-local=1",
        "--data-parallel-hybrid-lb --data-parallel-size=4 --data-parallel-size-local=2",
        "--data-parallel-hybrid-lb --data-parallel-size=2 --nnodes=2 --node-rank=1 --distributed-executor-backend=mp",
        "--enable-fault-tolerance",
        "--enable-fault-tolerance --data-parallel-size=2",
        "--enable-fault-tolerance --data-parallel-size=2 --data-parallel-rank=0",
        "--enable-fault-tolerance --data-parallel-size=2 --data-parallel-rank=0 --data-parallel-external-lb",
        "--numa-bind-nodes=0", "--numa-bind-nodes=0 --numa-bind", "--numa-bind-cpus=0-1", "--numa-bind-cpus=0-1 --numa-bind",
    )
]  # fmt: skip
LACKING = ("NIXL", "Ray")  # what is not here, and the engine then wants


def flags(version: str) -> list[str]:
    """Every flag of the version that a rule of the server's start speaks of."""
    catalog, table = shipped().catalog(version), of_the_project().files["relations.toml"]
    names = {
        name
        for group in table.group
        if "/entrypoints/" in group.source
        for relation in group.relation
        if within(version, relation.since, relation.until)
        for name in (*names_of(relation, table.derive), "--grpc")
        if name.startswith("--")
    }
    return sorted(name for name in names if catalog.flag(name) is not None and name not in LEFT_OUT)


def lines(version: str) -> list[Argv]:
    """Every pair of the flags with every value, and more at random."""
    choices = {
        name: [f"{name}={value}" for value in VALUES[name]] if name in VALUES else [name]
        for name in flags(version)
    }
    found: list[tuple[str, ...]] = [(token,) for tokens in choices.values() for token in tokens]
    for one, other in itertools.combinations(choices, 2):
        found += itertools.product(choices[one], choices[other])
    dice = random.Random(f"{SEED} start {version}")
    for _ in range(300):
        some = dice.sample(sorted(choices), min(len(choices), dice.randint(3, 7)))
        found.append(tuple(dice.choice(choices[name]) for name in some))
    return [(MODEL, *tokens) for tokens in dict.fromkeys(found)]


def test_what_it_does_not_start_with(version: str, parsers: Parsers, tally: Tally) -> None:
    """`check` has an error where `vllm serve` itself refuses, and none where it does not."""
    asked = lines(version)
    answers = dict(zip(asked, parsers.asked("start", version, asked), strict=True))
    said = {line: told(line, version) for line in asked}
    # The server's start lets these pass: the engine's configuration is to refuse them.
    later = [line for line in asked if said[line] and answers[line].ok is not None]
    answers.update(zip(later, parsers.asked("rank", version, later), strict=False))
    for line, answer in answers.items():
        compare(tally, line, answer, said[line])
    tally.settle()


def test_what_its_engine_does_not_start_with(version: str, parsers: Parsers, tally: Tally) -> None:
    """The same of the rules about the engine's configuration."""
    catalog = shipped().catalog(version)
    asked = [
        (MODEL, *line)
        for line in ENGINE
        if all(catalog.flag(token.partition("=")[0]) is not None for token in line)
    ]
    for line, answer in zip(asked, parsers.asked("rank", version, asked), strict=False):
        if not any(name in (answer.refused or "") for name in LACKING):
            compare(tally, line, answer, told(line, version))
    tally.settle()


def told(line: Argv, version: str) -> list[str]:
    """What we say vLLM does not start with."""
    scope = scope_of(version, "runpod", {}, shipped())[0]
    return [item.message for item in check_argv(list(line), {}, scope) if item.code == REFUSED]


def compare(tally: Tally, line: Argv, answer: Answer, said: list[str]) -> None:
    tally.asked += 1
    tally.accepted += answer.ok is not None
    if bool(said) != (answer.ok is None):
        real = answer.refused or "starts"
        tally.add("what vLLM starts with", shell(line), f"  vLLM: {real}; we: {said}")


NUMBERS = ("-7", "-1", "0", "1", "3", "70000", "0.01", "0.99", "1.01", "7.5")
VALUES_OF_KEYS: tuple[Any, ...] = (1, 0, -1, "abc", True, {}, [])
DRAFTS = {
    "method": "ngram",
    "num_speculative_tokens": 2,
    "prompt_lookup_max": 3,
}  # what the engine starts with, so that only the key beside it matters


NAMES: dict[str, set[str]] = {}  # flag → the names that it takes in any release, and one of none
for _flag in (flag for release in shipped().versions() for flag in catalog(release)["flags"]):
    if _flag.get("start", {}).get("kind") == "choice":
        NAMES.setdefault(_flag["flag"], {"no-such-name"}).update(_flag["start"]["choices"])


def engine_lines(version: str) -> list[tuple[str, set[str], Argv]]:
    """Every flag of whose value the engine has something to say: (flag, what it may name,
    tokens).
    """
    found: list[tuple[str, set[str], Argv]] = []
    for flag in catalog(version)["flags"]:
        start = flag.get("start")
        if start is None:
            continue
        name, dest = flag["flag"], flag["dest"]
        if start["kind"] == "choice":
            if Version(version) < Version("0.9.1"):
                continue  # there is nothing to ask but the server as a whole
            beside = [start["beside"]] if "beside" in start else []
            names = {"|".join(start["choices"])}
            found += [(name, names, (f"{name}={text}", *beside)) for text in sorted(NAMES[name])]
        elif start["kind"] != "object":
            found += [(name, {dest}, (f"{name}={number}",)) for number in NUMBERS]
        else:
            keys = [*start["keys"], "no_such_key"]
            base = {key: value for key, value in DRAFTS.items() if key in start["keys"]}
            found += [
                (name, set(keys), (f"{name}={json.dumps({**base, key: value})}",))
                for key in keys
                for value in VALUES_OF_KEYS
            ]
    return found


def test_what_the_engine_does_not_start_with(version: str, parsers: Parsers, tally: Tally) -> None:
    """`check` has an error where a class of the engine names the field, and none where the engine
    takes it. What crashes it unnamed may be either.
    """
    asked = engine_lines(version)
    answers = parsers.asked("engine", version, [tokens for *_, tokens in asked])
    scope = scope_of(version, "runpod", {}, shipped())[0]
    if not answers:  # beside another Transformers than its own: no bounds are known either
        assert not [
            flag
            for flag in catalog(version)["flags"]
            if flag.get("start", {"kind": "object"})["kind"] not in ("object", "choice")
        ]
    for (name, fields, tokens), answer in zip(asked, answers, strict=bool(answers)):
        if answer.refused == "the parser":
            continue
        tally.asked += 1
        tally.accepted += answer.ok is not None
        said = [item for item in check_argv([MODEL, *tokens], {}, scope) if item.code == REFUSED]
        named = answer.refused is not None and not fields.isdisjoint(answer.refused.split())
        if (said and answer.ok is not None) or (named and not said):
            tally.add(
                f"what the engine takes for {name}",
                shell(tokens),
                f"  vLLM names: {answer.refused!r}; we: {[item.message for item in said]}",
            )
    tally.settle()
