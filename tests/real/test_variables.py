"""vLLM's own variables: what we let through does not crash vLLM, what we refuse would have."""

from support.catalogs import SECRETS, native
from support.samples import in_capitals

from translator import check, env_to_args

from .laws import Tally, assignments, ours
from .parsers import Parsers

TEXTS = (
    "1", "0", "true", "false", "True", "yes", "abc", "-1", "1.5", "auto", "DEBUG", "/x", "a,b",
    "{}", "tcp://10.0.0.1:8000", "None", "", " ",
)  # fmt: skip


def test_every_variable_with_every_value(version: str, parsers: Parsers, tally: Tally) -> None:
    """The whole table of the version, with values that people write: what we pass on does not crash
    the real table, and what we refuse would have; `check`, which changes nothing, has an error for
    exactly what crashes it.
    """
    reserved = {in_capitals(flag) for flag in SECRETS}
    items = [(name, text) for name in native(version) if name not in reserved for text in TEXTS]
    passed: list[tuple[str, str, str]] = []
    for (name, text), real in zip(items, parsers.env(version, items), strict=True):
        tally.asked += 1
        tally.accepted += real.ok is not None
        told = check(["vllm", "serve", "m"], env={name: text}, vllm=version)
        errors = [item for item in told if item.severity == "error"]
        if bool(errors) != (real.ok is None):
            tally.add("check says", assignments({name: text}), f"  {errors}\n  {real}")
        env = {"MODEL_NAME": "org/m", name: text}
        here = ours(lambda env=env: env_to_args(env, vllm=version).env)
        if here.crashed is not None:
            tally.add("crash", assignments({name: text}), f"  {here.crashed}")
        elif here.refused is not None and real.ok is not None:
            detail = f"  we: {here.refused}\n  vllm.envs: {real.ok['']}"
            tally.add("we refuse", assignments({name: text}), detail)
        elif here.value is not None and name in here.value:
            passed.append((name, text, here.value[name]))
    kept_ones = parsers.env(version, [(name, kept) for name, _, kept in passed])
    for (name, text, kept), real in zip(passed, kept_ones, strict=True):
        if real.ok is None:
            detail = f"  passed on: {kept!r}\n  vllm.envs: {real.refused}"
            tally.add("we accept", assignments({name: text}), detail)
    tally.settle()
