"""Several machines: by each scheduler's variables, the command line of every rank is what one would
type there, for the real parser of every version.
"""

from __future__ import annotations

import pytest
from support.schedulers import FIRST, SCHEDULERS

from translator import TranslationError, env_to_args

from .catalogs import catalog
from .forms import MODEL
from .laws import Argv, Tally, assignments, both, shell
from .parsers import Parsers

SIZES = (1, 2, 4)
LOCAL = 4  # data-parallel ranks of one machine
FAMILIES = ("nodes", "data-parallel", "hybrid")
RAY = {"DISTRIBUTED_EXECUTOR_BACKEND": "ray"}
COMMON = {"MODEL_NAME": MODEL}
SETTINGS = {
    "nodes": {"TENSOR_PARALLEL_SIZE": "16"},
    "data-parallel": {"DATA_PARALLEL_SIZE_LOCAL": str(LOCAL)},
    "hybrid": {"DATA_PARALLEL_SIZE_LOCAL": str(LOCAL), "DATA_PARALLEL_HYBRID_LB": "true"},
}


def typed(family: str, nodes: int, rank: int, port: bool) -> Argv:
    """What one types on a machine, by vLLM's documentation of serving on several."""
    if family == "nodes":
        alone: Argv = (MODEL, "--tensor-parallel-size", "16")
        place: Argv = (
            "--nnodes",
            str(nodes),
            "--node-rank",
            str(rank),
            "--master-addr",
            FIRST,
            *(("--master-port", "29400") if port else ()),
        )
    else:
        alone = (
            MODEL,
            "--data-parallel-size-local",
            str(LOCAL),
            *(("--data-parallel-hybrid-lb",) if family == "hybrid" else ()),
        )
        place = (
            "--data-parallel-size",
            str(nodes * LOCAL),
            "--data-parallel-address",
            FIRST,
            *(("--data-parallel-rpc-port", "29400") if port else ()),
        )
        place += ("--data-parallel-start-rank", str(rank * LOCAL)) if rank else ()
    if nodes == 1:
        return alone
    return (*alone, *place, *(("--headless",) if rank and family != "hybrid" else ()))


def knows(version: str, family: str) -> bool:
    """Whether the version has what the family needs on a machine that is not the first."""
    flags = {flag["flag"] for flag in catalog(version)["flags"]}
    return all(token in flags for token in typed(family, 2, 1, port=True) if token.startswith("--"))


@pytest.mark.parametrize("cluster", SCHEDULERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_rank_is_told_its_place(
    version: str, parsers: Parsers, tally: Tally, cluster: str, family: str
) -> None:
    """Groups of one, two and four machines: the namespace of what is typed; a version without the
    flags says what to use instead.
    """
    if not all(
        flag_known(version, token)
        for token in typed(family, 1, 0, port=False)
        if token.startswith("--")
    ):
        pytest.skip(f"vLLM {version} has not even the settings of one machine")
    known = knows(version, family)
    cases: list[tuple[dict[str, str], Argv, Argv]] = []
    for place in SCHEDULERS[cluster]:
        for nodes in SIZES:
            for rank in range(nodes):
                env = {**COMMON, **SETTINGS[family], **place(nodes, rank)}
                port = any("PORT" in name for name in place(nodes, rank))
                wanted = typed(family, nodes, rank, port)
                if nodes > 1 and not known:
                    not_there(tally, cluster, family, env, rank)
                    continue
                tally.asked += 1
                try:
                    cases.append(
                        (
                            env,
                            wanted,
                            tuple(env_to_args(env, vllm=version, cluster=cluster).argv[2:]),
                        )
                    )
                except TranslationError as error:
                    tally.add("we refuse", f"{cluster}: {assignments(env)}", f"  {error}")
    by_hand = parsers.parse(version, [wanted for _, wanted, _ in cases])
    ours = parsers.parse(version, [tokens for *_, tokens in cases])
    for (env, wanted, tokens), first, second in zip(cases, by_hand, ours, strict=True):
        if first.ok is None or first != second:
            tally.add(
                "differs",
                f"{cluster}: {assignments(env)}",
                f"  typed: {shell(wanted)}\n  we: {shell(tokens)}\n{both(first, second)}",
            )
        else:
            tally.accepted += 1
    tally.settle()


def flag_known(version: str, name: str) -> bool:
    return any(flag["flag"] == name for flag in catalog(version)["flags"])


def not_there(tally: Tally, cluster: str, family: str, env: dict[str, str], rank: int) -> None:
    """A version that cannot do it: a finding that says so, and what to use."""
    tally.asked += 1
    try:
        made = env_to_args(env, vllm=tally.version, cluster=cluster).argv
    except TranslationError as error:
        codes = {item.code for item in error.findings if item.severity == "error"}
        told = [item for item in error.findings if item.code == "cluster-not-in-version"]
        if codes == {"cluster-not-in-version"} and all("ray" in item.hint for item in told):
            tally.accepted += 1
        else:
            tally.add("we refuse", f"{cluster}: {assignments(env)}", f"  {error}")
    else:
        tally.add(
            "we accept",
            f"{cluster}: {assignments(env)}",
            f"  we: {shell(made[2:])}\n  vLLM {tally.version} has no {family} on several machines",
        )


@pytest.mark.parametrize("cluster", SCHEDULERS)
def test_with_ray_the_first_machine_serves(
    version: str, parsers: Parsers, tally: Tally, cluster: str
) -> None:
    """Ray joins the machines in every version: the first one starts vLLM without a place, the
    others are told to join.
    """
    cases: list[tuple[dict[str, str], Argv]] = []
    for place in SCHEDULERS[cluster]:
        for rank in range(2):
            env = {**COMMON, **RAY, **place(2, rank)}
            tally.asked += 1
            try:
                tokens = tuple(env_to_args(env, vllm=version, cluster=cluster).argv[2:])
            except TranslationError as error:
                joins = [
                    item.code
                    for item in error.findings
                    if f"ray start --address={FIRST}" in item.hint
                ]
                if rank and joins == ["cluster-not-in-version"]:
                    tally.accepted += 1
                else:
                    tally.add("we refuse", f"{cluster}: {assignments(env)}", f"  {error}")
                continue
            if rank:
                tally.add("we accept", f"{cluster}: {assignments(env)}", f"  we: {shell(tokens)}")
            else:
                cases.append((env, tokens))
    wanted = parsers.parse(version, [(MODEL, "--distributed-executor-backend", "ray")])[0]
    for (env, tokens), found in zip(
        cases, parsers.parse(version, [tokens for _, tokens in cases]), strict=True
    ):
        if found.ok is None or found != wanted:
            tally.add(
                "differs",
                f"{cluster}: {assignments(env)}",
                f"  we: {shell(tokens)}\n{both(wanted, found)}",
            )
        else:
            tally.accepted += 1
    tally.settle()
