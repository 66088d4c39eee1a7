"""What the engine refuses for one model (mappings/relations.toml): the real one, configured for
default configs of Transformers and for checkpoints made of them, and `check --model-config`.
"""

import random
from typing import Any

import pytest

from translator.advice.check import check_argv
from translator.core.settings import ModelConfig
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import ARCHITECTURES, shipped
from translator.core.tables.versions import Version, within

from .conftest import SEED
from .laws import Argv, Tally, shell
from .parsers import Parsers

# What vLLM says of what the rules are about.
WITHIN = ("greater than the derived", "attention heads (", "Number of experts", "does not match", "is smaller than max_model_len")  # fmt: skip
CHECKPOINTS: dict[str, dict[str, Any]] = {
    "gptq": {"bits": 4, "group_size": 128, "desc_act": False, "sym": True},
    "fp8": {"activation_scheme": "dynamic"},
    "bitsandbytes": {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
}
ROPE: dict[str, dict[str, Any]] = {
    "linear": {"factor": 4.0}, "dynamic": {"factor": 2.0}, "yarn": {"factor": 4.0, "original_max_position_embeddings": 4096},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 4096},
}  # fmt: skip
PLAIN = ("llama", "qwen2", "qwen3_moe", "olmo2")


def questions(configs: dict[str, Any], version: str) -> list[tuple[dict[str, Any], Argv]]:
    """Forty of the models with a dozen lines, and checkpoints with RoPE scaling and quantization."""
    dice = random.Random(f"{SEED} models {version}")
    registry = shipped().records(ARCHITECTURES)
    spans = {kind: registry.get(it["architectures"][0], ()) for kind, it in configs.items()}
    known = [kind for kind in spans if any(within(version, *span[:2]) for span in spans[kind])]
    found: list[tuple[dict[str, Any], Argv]] = []
    for kind in dice.sample(known, min(40, len(known))):
        config = configs[kind]
        longest = config.get("max_position_embeddings") or config.get("n_positions") or 2048
        lines = [(f"--max-model-len={size}",) for size in (64, longest, longest + 1, 4 * longest)]
        lines += [(f"--tensor-parallel-size={size}",) for size in (2, 3, 5, 8, 64)]
        lines += [("--enable-expert-parallel",), ("--quantization=gptq",)]
        found += [(config, line) for line in lines]
    for kind in PLAIN:
        bare = {key: value for key, value in configs[kind].items() if not key.startswith("rope_")}
        bare["max_position_embeddings"] = 4096
        for name, about in ROPE.items():
            config = {**bare, "rope_scaling": {"rope_type": name, **about}}
            sizes = (4096, 4097, 8193, 16384, 16385, 32769)
            found += [(config, (f"--max-model-len={size}",)) for size in sizes]
        for name, about in CHECKPOINTS.items():
            config = {**bare, "quantization_config": {"quant_method": name, **about}}
            found += [(config, (f"--quantization={given}",)) for given in ("awq", *CHECKPOINTS)]
    return found


def test_what_the_model_does_not_allow(version: str, parsers: Parsers, tally: Tally) -> None:
    """No error where the engine takes it; and, of the refusals that the rules are about, nearly all."""
    if Version(version) < Version("0.9.1"):
        pytest.skip("its engine cannot be configured beside this Transformers")
    asked = questions(parsers.ask(version, op="configs"), version)
    answers = parsers.models(version, asked)
    about, missed = 0, list[str]()
    plain = scope_of(version, "runpod", {}, shipped())[0]
    for (config, line), answer in zip(asked, answers, strict=True):
        scope = plain.of_model(ModelConfig("config.json", config, beside=()))
        found = [it.message for it in check_argv(["m", *line], {}, scope) if it.severity == "error"]
        refused = answer.get("refused")
        tally.asked += 1
        tally.accepted += refused is None
        if found and refused is None:
            tally.add("what a model allows", shell(line), f"  {config}; we: {found}")
        if refused is not None and any(text in refused for text in WITHIN):
            about += 1
            missed += [] if found else [f"{config['model_type']} {shell(line)}: {refused[:160]}"]
    few = about / 50 + 20 * (Version(version) < Version("0.14"))
    assert len(missed) <= few, "\n".join(missed)
    tally.settle()
