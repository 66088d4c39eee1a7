"""What the engine refuses of values beside each other (mappings/relations.toml): the real one,
configured for lines of the flags of each relation, and `check`.
"""

import json
import random
from typing import Any

import pytest
from support.tables import of_the_project

from translator.advice.check import check_argv
from translator.core.findings import REFUSED
from translator.core.settings import ModelConfig
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import RELATIONS, Flag, shipped
from translator.core.tables.versions import Version, within

from .conftest import SEED
from .laws import Argv, Tally, shell
from .parsers import Parsers

KINDS = ("llama", "mixtral", "qwen2", "qwen3_moe", "gemma2", "deepseek_v2", "gpt2")
NUMBERS = ("0", "1", "2", "3", "4", "8", "64", "512", "8192")
TEXTS = {
    "--distributed-executor-backend": ("mp", "uni", "external_launcher"),
    "--quantization": ("fp8", "experts_int8"),
    "--optimization-level": ("0", "1", "2"),
    "--attention-backend": ("FLASH_ATTN", "TRITON_ATTN"),
    "--device-ids": ("cpu", "auto", "0"),
    "--spec-method": ("ngram", "eagle", "mtp"),
    "--cudagraph-capture-sizes": ("1", "8"),
}
OBJECTS: dict[str, tuple[dict[str, Any], ...]] = {
    "--speculative-config": (
        {"method": "ngram", "num_speculative_tokens": 3},
        {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 2, "prompt_lookup_min": 4},
        {"num_speculative_tokens": 3}, {"method": "mtp", "num_speculative_tokens": 1}, {"method": "ngram"},
    ),
    "--compilation-config": ({"cudagraph_mode": "NONE"}, {"cudagraph_capture_sizes": [1, 2]}, {"max_cudagraph_capture_size": 64}),
    "--kv-transfer-config": ({"kv_connector": "OffloadingConnector", "kv_role": "kv_both"}, {"kv_role": "kv_producer"}),
    "--eplb-config": ({"num_redundant_experts": 2}, {"window_size": 100}),
    "--attention-config": ({"backend": "FLASH_ATTN"},),
    "--aux-output-config": ({"enable_return_routed_experts": True},),
}  # fmt: skip
# What a build without an accelerator takes, whatever it is: it captures no graphs.
ON_CPU = {
    "--enable-dbo",
    "--ubatch-size",
    "--cudagraph-capture-sizes",
    "--max-cudagraph-capture-size",
}
# What the engine says of what is not here, or only of a machine without an accelerator.
ELSEWHERE = ("Ray", "NIXL", "Arctic", "LMCache", "No module", "CPU", "failed to be inspected")
ELSEWHERE += ("Model Runner V", "available GPUs", "only available on", "current platform")


def tokens(flag: Flag, dice: random.Random) -> list[str]:
    """One value of a flag, as tokens; none if there is no value to try."""
    name = flag.flag
    if flag.kind in ("switch", "toggle"):
        return [dice.choice([name, *flag.negations[:1]])]
    if name in OBJECTS:
        return [f"{name}={json.dumps(dice.choice(OBJECTS[name]))}"]
    values = TEXTS.get(name) or tuple(map(str, flag.choices or ()))
    if not values and flag.kind in ("int", "size", "size-or-auto"):
        values = NUMBERS
    return [f"{name}={dice.choice(values)}"] if values else []


def questions(configs: dict[str, Any], version: str) -> list[tuple[dict[str, Any], Argv]]:
    """Lines of the flags of each relation, with a flag more, for a model."""
    dice, catalog = random.Random(f"{SEED} relations {version}"), shipped().catalog(version)
    flags = [flag for flag in catalog.flags() if not flag.server]
    found: list[tuple[dict[str, Any], Argv]] = []
    groups = of_the_project().files["relations.toml"].group
    # What the server asks itself is not the engine's: tests/real/test_start.py.
    early = {it.id for group in groups if "/entrypoints/" in group.source for it in group.relation}
    relations = shipped().records(RELATIONS)
    left = {flag for name in early for flag in relations[name]["flags"]}
    flags = [flag for flag in flags if flag.flag not in left]
    for name, relation in relations.items():
        if name in early or not ON_CPU.isdisjoint(relation["flags"]):
            continue
        known = [flag for each in relation["flags"] if (flag := catalog.flag(each)) is not None]
        if not within(version, relation.get("since"), relation.get("until")) or not known:
            continue
        for _ in range(8):
            more = dice.choice([flag for flag in flags if flag.flag not in ON_CPU])
            some = {flag.flag: flag for flag in (*known, more) if not flag.server}
            line = [token for flag in some.values() for token in tokens(flag, dice)]
            kind = dice.choice([kind for kind in KINDS if kind in configs])
            found.append((configs[kind], tuple(line)))
    return found


def test_what_does_not_go_together(version: str, parsers: Parsers, tally: Tally) -> None:
    """No error where the engine starts; refusals without a relation are few, and listed."""
    if Version(version) < Version("0.19.1"):
        pytest.skip("relations were asked from 0.19.1 on")
    asked = questions(parsers.ask(version, op="configs"), version)
    answers = parsers.models(version, asked)
    plain = scope_of(version, "runpod", {}, shipped())[0]
    refused, missed = 0, []
    for (config, line), answer in zip(asked, answers, strict=True):
        scope = plain.of_model(ModelConfig("config.json", config, beside=()))
        said = [it for it in check_argv(["m", *line], {}, scope) if it.severity == "error"]
        told = [it.message for it in said if it.code == REFUSED and "absent" in it.facts]
        reason = answer.get("refused")
        tally.asked += 1
        tally.accepted += reason is None
        if told and reason is None:
            tally.add("what goes together", shell(line), f"  {config['model_type']}; we: {told}")
        if reason is not None and not any(word in reason for word in ELSEWHERE):
            refused += 1
            missed += [] if said else [f"{shell(line)}: {reason[:200]}"]
    tally.settle()
    assert len(missed) <= refused / 3, "\n".join(missed)
