"""What schedulers tell each of several containers, written down from their documentation: the
variables of one machine of a group.
"""

from __future__ import annotations

from collections.abc import Callable

Place = Callable[[int, int], dict[str, str]]
FIRST = "first"  # where the first machine is


def lws(nodes: int, rank: int) -> dict[str, str]:
    """https://lws.sigs.k8s.io/docs/reference/labels-annotations-and-environment-variables/"""
    return {
        "LWS_GROUP_SIZE": str(nodes),
        "LWS_WORKER_INDEX": str(rank),
        "LWS_LEADER_ADDRESS": FIRST,
    }


def agent(nodes: int, rank: int) -> dict[str, str]:
    """https://docs.pytorch.org/docs/stable/elastic/run.html: the first of eight processes that
    torchrun's agent starts on a machine.
    """
    processes = {
        "WORLD_SIZE": str(nodes * 8),
        "RANK": str(rank * 8),
        "LOCAL_RANK": "0",
        "LOCAL_WORLD_SIZE": "8",
    }
    return {
        **processes,
        "GROUP_RANK": str(rank),
        "GROUP_WORLD_SIZE": str(nodes),
        "MASTER_ADDR": FIRST,
        "MASTER_PORT": "29400",
    }


def processes(nodes: int, rank: int) -> dict[str, str]:
    """The same for a program that knows of processes only, as of PyTorch's own launchers before
    torchrun.
    """
    return {
        "WORLD_SIZE": str(nodes * 8),
        "RANK": str(rank * 8),
        "LOCAL_WORLD_SIZE": "8",
        "MASTER_ADDR": FIRST,
        "MASTER_PORT": "29400",
    }


def pytorchjob(nodes: int, rank: int) -> dict[str, str]:
    """Kubeflow's PyTorchJob, whose WORLD_SIZE counts processes and whose RANK counts pods."""
    found = {
        "WORLD_SIZE": str(nodes * 8),
        "RANK": str(rank),
        "PET_NODE_RANK": str(rank),
        "PET_NNODES": str(nodes),
        "PET_NPROC_PER_NODE": "8",
    }
    return {**found, "MASTER_ADDR": FIRST, "MASTER_PORT": "29400"}


def trainjob(nodes: int, rank: int) -> dict[str, str]:
    """Kubeflow Trainer's TrainJob, from 2.0 on."""
    found = {"PET_NNODES": str(nodes), "PET_NPROC_PER_NODE": "auto", "PET_NODE_RANK": str(rank)}
    return {**found, "PET_MASTER_ADDR": FIRST, "PET_MASTER_PORT": "29400"}


def runpod(nodes: int, rank: int) -> dict[str, str]:
    """https://docs.runpod.io/instant-clusters/configuration"""
    found = {
        "NUM_NODES": str(nodes),
        "NODE_RANK": str(rank),
        "NUM_TRAINERS": "8",
        "WORLD_SIZE": str(nodes * 8),
        "HOST_NODE_ADDR": f"{FIRST}:29400",
    }
    addresses = {f"{name}_ADDR": FIRST for name in ("PRIMARY", "MASTER")} | {
        f"{name}_PORT": "29400" for name in ("PRIMARY", "MASTER")
    }
    return {**found, **addresses, "NODE_ADDR": f"10.65.0.{rank + 2}"}


def slurm(nodes: int, rank: int) -> dict[str, str]:
    """https://slurm.schedmd.com/srun.html, one task a node."""
    hosts = FIRST if nodes == 1 else f"{FIRST},node[02-{nodes:02}]"
    found = {
        "SLURM_JOB_NUM_NODES": str(nodes),
        "SLURM_NNODES": str(nodes),
        "SLURM_NODEID": str(rank),
        "SLURM_PROCID": str(rank),
    }
    return {
        **found,
        "SLURM_JOB_NODELIST": hosts,
        "SLURM_NODELIST": hosts,
        "SLURM_STEP_NODELIST": hosts,
        "SLURM_STEP_NUM_NODES": str(nodes),
    }


def skypilot(nodes: int, rank: int) -> dict[str, str]:
    """https://docs.skypilot.co/en/latest/running-jobs/environment-variables.html"""
    return {
        "SKYPILOT_NUM_NODES": str(nodes),
        "SKYPILOT_NODE_RANK": str(rank),
        "SKYPILOT_NODE_IPS": "\n".join([FIRST, *(f"10.0.0.{node}" for node in range(1, nodes))]),
        "SKYPILOT_NUM_GPUS_PER_NODE": "8",
    }


SCHEDULERS: dict[str, tuple[Place, ...]] = {
    "lws": (lws,),
    "torchrun": (agent, processes, pytorchjob, trainjob),
    "runpod": (runpod,),
    "slurm": (slurm,),
    "skypilot": (skypilot,),
}
