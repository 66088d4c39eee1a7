"""Several machines: the scheduler's variables as vLLM's flags, laid over any dialect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.dialects import codes, settings
from support.program import translate
from support.schedulers import SCHEDULERS, Place

from translator import TranslationError, env_to_args
from translator.api.check import check_env
from translator.authoring.compile import compile_overlay
from translator.cli import main
from translator.env.cluster import cluster_settings, cluster_variables, first_host
from translator.findings import Finding
from translator.settings import Setting
from translator.settings.scope import scope
from translator.tables.catalog import Tables, shipped, variable_of

PLACES = {
    name: lambda rank, place=places[0]: place(2, int(rank)) for name, places in SCHEDULERS.items()
}


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
    ("env", "flags"),
    [
        ({"DATA_PARALLEL_SIZE": "4"}, ("--data-parallel-size-local=2", "--data-parallel-start-rank=2", "--headless")),
        ({"DATA_PARALLEL_SIZE_LOCAL": "2", "DATA_PARALLEL_HYBRID_LB": "1"}, ("--data-parallel-size=4", "--data-parallel-start-rank=2")),
        ({"DATA_PARALLEL_SIZE": "4", "DATA_PARALLEL_HYBRID_LB": "1"}, ("--data-parallel-size-local=2", "--data-parallel-start-rank=2")),
        ({"DATA_PARALLEL_SIZE_LOCAL": "2", "DATA_PARALLEL_MULTI_PORT_EXTERNAL_LB": "1"}, ("--data-parallel-size=4", "--data-parallel-start-rank=2")),
        ({"DATA_PARALLEL_SIZE": "4", "DATA_PARALLEL_MULTI_PORT_EXTERNAL_LB": "1"}, ("--data-parallel-size-local=2", "--data-parallel-start-rank=2")),
        ({"DATA_PARALLEL_EXTERNAL_LB": "1"}, ("--data-parallel-size=2", "--data-parallel-rank=1")),
        ({"DATA_PARALLEL_EXTERNAL_LB": "1", "DATA_PARALLEL_SIZE": "2", "DATA_PARALLEL_SIZE_LOCAL": "1"}, ("--data-parallel-rank=1",)),
        ({"DATA_PARALLEL_EXTERNAL_LB": "1", "DATA_PARALLEL_SIZE": "1", "TENSOR_PARALLEL_SIZE": "2"}, ("--nnodes=2", "--node-rank=1", "--headless")),
    ],
)  # fmt: skip
def test_where_every_machine_serves_none_is_headless(
    env: dict[str, str], flags: tuple[str, ...]
) -> None:
    """With a load balancer outside of vLLM, each machine has a server, and ranks of its own."""
    env = {"MODEL_NAME": "m", **env}
    found = env_to_args({**env, **PLACES["lws"]("1")}, vllm="0.33.0", cluster="lws").argv
    assert set(flags) <= set(found)
    assert ("--headless" in found) == ("--headless" in flags)
    assert (
        "--headless"
        not in env_to_args({**env, **PLACES["lws"]("0")}, vllm="0.33.0", cluster="lws").argv
    )


def kind_of(item: Finding) -> str:
    """By the fact that only one message has."""
    own = {"world": "world", "ranks": "one-rank", "wanted": "ranks"}
    return next((kind for fact, kind in own.items() if item.facts.get(fact)), "uneven")


@pytest.mark.parametrize(
    ("env", "case"),
    [
        ({}, "world"),
        ({"TENSOR_PARALLEL_SIZE": "3"}, "world"),
        ({"TENSOR_PARALLEL_SIZE": "3", "PIPELINE_PARALLEL_SIZE": "2"}, ""),
        ({"VLLM_EXTRA_ARGS": "--config file.yaml"}, ""),
        ({"DATA_PARALLEL_SIZE": "3"}, "uneven"),
        ({"DATA_PARALLEL_SIZE": "3", "DATA_PARALLEL_HYBRID_LB": "1"}, "uneven"),
        ({"DATA_PARALLEL_SIZE": "3", "DATA_PARALLEL_SIZE_LOCAL": "1"}, "ranks"),
        ({"DATA_PARALLEL_SIZE": "3", "DATA_PARALLEL_EXTERNAL_LB": "1"}, "ranks"),
        ({"DATA_PARALLEL_SIZE_LOCAL": "2", "DATA_PARALLEL_EXTERNAL_LB": "1"}, "one-rank"),
    ],
)
def test_sizes_that_do_not_fit_the_machines_are_errors(env: dict[str, str], case: str) -> None:
    """vLLM would stop on every machine; with a number of machines that is made up, nothing is
    said.
    """
    env = {"MODEL_NAME": "m", **env}
    try:
        env_to_args({**env, **PLACES["lws"]("1")}, vllm="0.33.0", cluster="lws")
        found = []
    except TranslationError as error:
        found = [(item.code, kind_of(item)) for item in error.findings]
    assert found == ([("cluster-size", case)] if case else [])
    here = scope("0.33.0", "runpod", {}, shipped())[0]
    assert "cluster-size" not in codes(check_env(env, here, cluster="lws"))


def test_an_entrypoint_of_another_machine_prints_the_command_of_ray() -> None:
    env = {"MODEL_NAME": "m", "DISTRIBUTED_EXECUTOR_BACKEND": "ray", **PLACES["lws"]("1")}
    ran = translate("exec", "--vllm", "0.33.0", "--cluster", "lws", env=env)
    assert ran.status == 1
    assert "Run `ray start --address=first:6379 --block` on this machine." in ran.err


def test_where_ray_joins_made_up_machines_the_second_may_run_it_alone() -> None:
    here = scope("0.33.0", "runpod", {}, shipped())[0]
    env = {"MODEL_NAME": "m", "DISTRIBUTED_EXECUTOR_BACKEND": "ray"}
    found = check_env(env, here, cluster="lws")
    assert [item.code for item in found] == ["place-made-up", "machines-to-join"]


def test_check_and_convert_know_of_the_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What every machine shares is checked for the first two; a place of its own is checked, and
    carried, as it is.
    """
    shared, second = tmp_path / "shared.env", tmp_path / "second.env"
    shared.write_text("MODEL_NAME=m\nTENSOR_PARALLEL_SIZE=16\n")
    second.write_text(
        shared.read_text()
        + "".join(f"{name}={text}\n" for name, text in PLACES["runpod"]("1").items())
    )

    def ran(*arguments: str) -> tuple[int, str]:
        status = main(list(arguments))
        said = capsys.readouterr()
        return status, said.out + said.err

    status, text = ran("check", "--env-file", str(shared), "--cluster", "lws", "--vllm", "0.33.0")
    assert status == 0
    assert "info[place-made-up]" in text
    assert "bad-cluster" not in text
    status, text = ran("check", "--env-file", str(shared), "--cluster", "lws", "--vllm", "0.10.2")
    assert status == 1
    assert "ray start --head" in text, "for the first"
    assert "ray start --address=first:6379" in text, "for the second"
    status, text = ran(
        "check", "--env-file", str(second), "--cluster", "runpod", "--vllm", "0.33.0"
    )
    assert (status, "place-made-up" in text, "reserved-name" in text) == (0, False, False)
    assert "reserved-name" in ran("check", "--env-file", str(second), "--vllm", "0.33.0")[1]
    assert ran("check", "--env-file", str(shared), "--cluster", "none", "--vllm", "0.33.0")[0] == 2
    options = f"convert --env-file {second} --to 0.33.0 --cluster runpod --to-dialect sagemaker"
    assert main([*options.split(), "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)["env"]
    own = [f"{name[8:]}={text}" for name, text in made.items() if name.startswith("SM_VLLM_")]
    wanted = "HEADLESS=true MASTER_ADDR=first MASTER_PORT=29400 MODEL=m NNODES=2 NODE_RANK=1"
    assert sorted(own) == [*wanted.split(), "TENSOR_PARALLEL_SIZE=16"]
    assert main(["convert", "--cluster", "lws", "--", "vllm", "serve", "m"]) == 2


@pytest.mark.parametrize(
    "hosts",
    ["n[1", "n1]", "n[", "n[]", "n[a]", "n[1-]", "n[1,]", "n[1]]", "n[[1]]", "n[1,o", "n[1-2],o[3", ",n1", "[1-2", "n[1-2-3]"],
)  # fmt: skip
def test_a_broken_list_of_hosts_is_a_mistake(hosts: str) -> None:
    assert first_host(hosts) is None
    with pytest.raises(TranslationError) as raised:
        env_to_args(
            {"MODEL_NAME": "m", "SLURM_NNODES": "2", "SLURM_NODEID": "1", "SLURM_NODELIST": hosts},
            vllm="0.33.0",
            cluster="slurm",
        )
    assert [(item.code, item.subject) for item in raised.value.findings] == [
        ("bad-cluster", "SLURM_NODELIST")
    ]


def test_the_flags_of_a_place_come_from_a_table(tmp_path: Path) -> None:
    """The code has none of them: a table of one's own may lay a place over other flags."""
    (tmp_path / "clusters").mkdir()
    text = (
        Path(__file__).resolve().parents[3] / "mappings" / "clusters" / "_flags.toml"
    ).read_text()
    (tmp_path / "clusters" / "_flags.toml").write_text(
        text.replace('"--node-rank"', '"--seed"').replace('"--headless"', '"--enforce-eager"')
    )
    tables = Tables(compile_overlay(tmp_path))
    made = env_to_args(
        {"MODEL_NAME": "m", "TENSOR_PARALLEL_SIZE": "2", **PLACES["lws"]("1")},
        vllm="0.33.0",
        cluster="lws",
        tables=tables,
    ).argv
    line = "--enforce-eager --master-addr=first --nnodes=2 --seed=1 --tensor-parallel-size=2"
    assert made == ["vllm", "serve", "m", *line.split()]


@pytest.mark.parametrize(
    ("hosts", "first"),
    [
        ("a", "a"),
        ("a,b", "a"),
        ("n[01-04,07],o", "n01"),
        ("n[3,5]-x,o", "n3-x"),
        ("r[1-2]n[5-6]", "r1n5"),
    ],
)
def test_the_first_of_a_list_of_hosts(hosts: str, first: str) -> None:
    assert first_host(hosts) == first


def test_what_is_said_of_a_version_without_data_parallel_ranks() -> None:
    here = scope("0.8.5", "runpod", {}, shipped())[0]
    given = [Setting("--data-parallel-size-local", 4, "X")]
    settings, findings = cluster_settings(PLACES["lws"]("0"), "lws", here, given)
    assert settings == given
    assert [item.code for item in findings] == ["cluster-not-in-version"]
    assert "`--data-parallel-address`" in findings[0].message
    assert "vLLM 0.9.0 or newer" in findings[0].hint


def test_what_a_place_adds_is_weakest_and_what_is_given_stays() -> None:
    here = scope("0.33.0", "runpod", {}, shipped())[0]
    values = {"--node-rank": 0, "--seed": 1, "--tensor-parallel-size": 2}
    given = [Setting(flag, value, variable_of(flag)) for flag, value in values.items()]
    settings, findings = cluster_settings(PLACES["lws"]("1"), "lws", here, given)
    assert settings[-3:] == given
    assert len(given) == 3
    assert {item.flag for item in settings[:-3]} == {"--nnodes", "--master-addr", "--headless"}
    (told,) = findings
    assert (told.code, told.subject) == ("disagreement", "NODE_RANK")
    assert (told.facts["variable"], told.facts["expected"]) == ("LWS_WORKER_INDEX", "1")
    assert "`NODE_RANK` wins" in told.message
    assert "LWS_GROUP_SIZE" in cluster_variables("lws", shipped())
