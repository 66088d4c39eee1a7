"""Several machines: by each scheduler's variables, the command line of every rank is what one would
type there, for the real parser of every version; and the real `vllm serve` makes its engine of it.
"""

import ast
from pathlib import Path
from typing import Any

import pytest
import tomllib
from support.catalogs import catalog
from support.forms import MODEL
from support.schedulers import FIRST, SCHEDULERS

from translator import TranslationError, env_to_args

from .laws import Argv, Case, Tally, assignments, compare, emitted, shell
from .parsers import Parsers

RANKS = [(nodes, rank) for nodes in (1, 2, 4) for rank in range(nodes)]
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
        alone = f"{MODEL} --tensor-parallel-size 16"
        place = f" --nnodes {nodes} --node-rank {rank} --master-addr {FIRST}"
        place += " --master-port 29400" if port else ""
    else:
        alone = f"{MODEL} --data-parallel-size-local {LOCAL}"
        alone += " --data-parallel-hybrid-lb" if family == "hybrid" else ""
        place = f" --data-parallel-size {nodes * LOCAL} --data-parallel-address {FIRST}"
        place += " --data-parallel-rpc-port 29400" if port else ""
        place += f" --data-parallel-start-rank {rank * LOCAL}" if rank else ""
    place += " --headless" if rank and family != "hybrid" else ""
    return tuple((alone if nodes == 1 else alone + place).split())


def knows(version: str, family: str, *, alone: bool = False) -> bool:
    """Whether the version has what the family needs on one machine, or on one that is not the
    first.
    """
    flags = {flag["flag"] for flag in catalog(version)["flags"]}
    line = typed(family, 1, 0, port=False) if alone else typed(family, 2, 1, port=True)
    return all(token in flags for token in line if token.startswith("--"))


@pytest.mark.parametrize("cluster", SCHEDULERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_rank_is_told_its_place(
    version: str, parsers: Parsers, tally: Tally, cluster: str, family: str
) -> None:
    """Groups of one, two and four machines: the namespace of what is typed; a version without the
    flags says what to use instead.
    """
    if not knows(version, family, alone=True):
        pytest.skip(f"vLLM {version} has not even the settings of one machine")
    known = knows(version, family)
    cases: list[Case] = []
    for place in SCHEDULERS[cluster]:
        for nodes, rank in RANKS:
            env = {**COMMON, **SETTINGS[family], **place(nodes, rank)}
            if nodes > 1 and not known:
                not_there(tally, cluster, family, env, rank)
                continue
            wanted = typed(family, nodes, rank, any("PORT" in name for name in place(nodes, rank)))
            made = emitted(env, version, cluster=cluster)
            cases.append(Case(f"{cluster}: {assignments(env)}", made, wanted))
    compare(parsers, tally, cases)
    tally.settle()


def not_there(tally: Tally, cluster: str, family: str, env: dict[str, str], rank: int) -> None:
    """A version that cannot do it: a finding that says so, and what to use."""
    tally.asked += 1
    try:
        made = env_to_args(env, vllm=tally.version, cluster=cluster).argv
    except TranslationError as error:
        codes = {item.code for item in error.findings if item.severity == "error"}
        told = [item for item in error.findings if item.code == "cluster-not-in-version"]
        if codes == {"cluster-not-in-version"} and told:
            tally.accepted += 1
        else:
            tally.add("we refuse", f"{cluster}: {assignments(env)}", f"  {error}")
    else:
        lacks = f"vLLM {tally.version} has no {family} on several machines"
        tally.add(
            "we accept", f"{cluster}: {assignments(env)}", f"  we: {shell(made[2:])}\n  {lacks}"
        )


@pytest.mark.parametrize("cluster", SCHEDULERS)
def test_with_ray_the_first_machine_serves(
    version: str, parsers: Parsers, tally: Tally, cluster: str
) -> None:
    """Ray joins the machines in every version: the first one starts vLLM without a place, the
    others are told that they run none.
    """
    wanted = (MODEL, "--distributed-executor-backend", "ray")
    cases: list[Case] = []
    for place in SCHEDULERS[cluster]:
        first, second = ({**COMMON, **RAY, **place(2, rank)} for rank in range(2))
        made = emitted(first, version, cluster=cluster)
        cases.append(Case(f"{cluster}: {assignments(first)}", made, wanted))
        tally.asked += 1
        with pytest.raises(TranslationError) as caught:
            env_to_args(second, vllm=version, cluster=cluster)
        found = caught.value.findings
        joins = [item.facts["rank"] for item in found if item.code == "cluster-not-in-version"]
        assert joins == [1]
    compare(parsers, tally, cases)
    tally.settle()


Places = list[list[int]]
GROUPS = tomllib.loads(Path(__file__).with_name("clusters.toml").read_text(encoding="utf-8"))
# Lines that we do not write: of what we refuse, and of what we leave out. vLLM does not start with them, either.
REFUSED: dict[str, Argv] = {
    "TENSOR_PARALLEL_SIZE": (MODEL, "--tensor-parallel-size=3", "--nnodes=2", "--node-rank=0", "--master-addr=first"),
    "API_SERVER_COUNT": (MODEL, "--headless", "--api-server-count=3", "--data-parallel-size=8", "--data-parallel-size-local=4", "--data-parallel-start-rank=4"),
    "DATA_PARALLEL_EXTERNAL_LB": (MODEL, "--data-parallel-external-lb", "--data-parallel-rank=0", "--data-parallel-size=8", "--data-parallel-size-local=4"),
}  # fmt: skip


def test_every_rank_makes_its_engine(version: str, parsers: Parsers, tally: Tally) -> None:
    """`vllm serve` accepts the line of each machine, up to the configuration of its engines, which
    are where they should be; all ranks are there once.
    """
    known = {flag["flag"] for flag in catalog(version)["flags"]}
    asked: list[tuple[str, Places, Argv]] = []
    for name, group in GROUPS.items():
        for rank, wanted in enumerate(group["machines"]):
            env = {**COMMON, **group["env"], **SCHEDULERS["lws"][0](len(group["machines"]), rank)}
            try:
                made = env_to_args(env, vllm=version, cluster="lws").argv[2:]
            except TranslationError as error:
                codes = {item.code for item in error.findings if item.severity == "error"}
                assert codes <= {"cluster-not-in-version", "flag-not-in-version"}, (name, codes)
                continue
            asked.append((name, wanted, tuple(made)))
    refused = [
        argv
        for argv in REFUSED.values()
        if known.issuperset(token.partition("=")[0] for token in argv[1:])
    ]
    answers = parsers.asked("rank", version, [*(argv for *_, argv in asked), *refused])
    if not answers:
        pytest.skip(f"no engine of vLLM {version} can be configured here")
    for (name, wanted, argv), answer in zip(asked, answers[: len(asked)], strict=True):
        tally.asked += 1
        said: list[dict[str, Any]] = ast.literal_eval(answer.ok[""]) if answer.ok else []
        names = [f"data_parallel_{part}" for part in ("rank", "size", "size_local")]
        found = [
            [*(item[each] for each in names), item["nnodes"] or 1, item["node_rank"] or 0]
            for item in said
        ]
        if found == wanted:
            tally.accepted += 1
        else:
            tally.add(name, shell(argv), f"  vLLM: {answer.refused or found}; wanted {wanted}")
    for argv, answer in zip(refused, answers[len(asked) :], strict=True):
        tally.asked += 1
        if answer.ok is not None:
            tally.add("vLLM starts", shell(argv), f"  vLLM: {answer.ok}")
    tally.settle()
