"""Several machines: the scheduler's variables as vLLM's flags, laid over any dialect."""

from pathlib import Path

import pytest
from support.dialects import refused, settings
from support.schedulers import SCHEDULERS, Place
from support.tables import MAPPINGS

from translator import env_to_args
from translator.core.env.cluster import cluster_settings, first_host
from translator.core.settings import Setting
from translator.core.settings.scope import scope
from translator.core.tables.catalog import Tables, shipped
from translator.core.text.words import VARIABLE, Origin
from translator.maintain.compile import compile_overlay

(LWS,) = SCHEDULERS["lws"]


@pytest.mark.parametrize(
    ("cluster", "place"),
    [(cluster, place) for cluster, places in SCHEDULERS.items() for place in places],
)
@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_each_scheduler_tells_each_machine_its_place(
    cluster: str, place: Place, nodes: int
) -> None:
    for rank in range(nodes):
        made = env_to_args(
            {"MODEL_NAME": "m", "TENSOR_PARALLEL_SIZE": "4", **place(nodes, rank)},
            vllm="0.33.0",
            cluster=cluster,
        )
        found = settings(made.argv[2:], "0.33.0")
        if nodes == 1:
            assert found == {"--model": "m", "--tensor-parallel-size": 4}
        else:
            wanted = {"--nnodes": nodes, "--node-rank": rank, "--master-addr": "first"}
            assert wanted.items() <= found.items()
            assert ("--headless" in found) == (rank > 0)


@pytest.mark.parametrize(
    "hosts",
    ["n[1", "n1]", "n[", "n[]", "n[a]", "n[1-]", "n[1,]", "n[1]]", "n[[1]]", "n[1,o", "n[1-2],o[3", ",n1", "[1-2", "n[1-2-3]"],
)  # fmt: skip
def test_a_broken_list_of_hosts_is_a_mistake(hosts: str) -> None:
    assert first_host(hosts) is None
    place = {"SLURM_NNODES": "2", "SLURM_NODEID": "1", "SLURM_NODELIST": hosts}
    told = refused(env_to_args, {"MODEL_NAME": "m", **place}, vllm="0.33.0", cluster="slurm")
    assert told == [("bad-cluster", "SLURM_NODELIST")]


def test_the_flags_of_a_place_come_from_a_table(tmp_path: Path) -> None:
    """The code has none of them: a table of one's own may lay a place over other flags."""
    (tmp_path / "clusters").mkdir()
    text = (MAPPINGS / "clusters" / "_flags.toml").read_text()
    (tmp_path / "clusters" / "_flags.toml").write_text(
        text.replace('"--node-rank"', '"--seed"').replace('"--headless"', '"--enforce-eager"')
    )
    tables = Tables(compile_overlay(tmp_path))
    made = env_to_args(
        {"MODEL_NAME": "m", "TENSOR_PARALLEL_SIZE": "2", **LWS(2, 1)},
        vllm="0.33.0",
        cluster="lws",
        tables=tables,
    ).argv
    line = "--enforce-eager --master-addr=first --nnodes=2 --seed=1 --tensor-parallel-size=2"
    assert made == ["vllm", "serve", "m", *line.split()]


def test_the_first_of_a_list_of_hosts() -> None:
    firsts = {
        "a": "a",
        "a,b": "a",
        "n[01-04,07],o": "n01",
        "n[3,5]-x,o": "n3-x",
        "r[1-2]n[5-6]": "r1n5",
    }
    assert {hosts: first_host(hosts) for hosts in firsts} == firsts


def test_what_is_said_of_a_version_without_data_parallel_ranks() -> None:
    here = scope("0.8.5", "runpod", {}, shipped())[0]
    given = [Setting("--data-parallel-size-local", 4, Origin(VARIABLE, "X"))]
    settings, findings = cluster_settings(LWS(2, 0), "lws", here, given)
    assert settings == given
    assert [item.code for item in findings] == ["cluster-not-in-version"]
    assert "`--data-parallel-address`" in findings[0].message
    assert "vLLM 0.9.0 or newer" in findings[0].hint
