"""What schedulers tell each of several containers, written down from their documentation: the
variables of one machine of a group.
"""

from collections.abc import Callable

Place = Callable[[int, int], dict[str, str]]
FIRST = "first"  # where the first machine is


def place(told: str) -> Place:
    """The variables of a rank among so many nodes of eight processes, by a line of them."""

    def variables(nodes: int, rank: int) -> dict[str, str]:
        known = {
            "nodes": nodes,
            "rank": rank,
            "world": nodes * 8,
            "process": rank * 8,
            "own": rank + 2,
        }
        known["hosts"] = FIRST if nodes == 1 else f"{FIRST},node[02-{nodes:02}]"
        known["ips"] = "\n".join([FIRST, *(f"10.0.0.{node}" for node in range(1, nodes))])
        pairs = (item.split("=", 1) for item in told.split())
        return {name: text.format(first=FIRST, **known) for name, text in pairs}

    return variables


MASTER = " MASTER_ADDR={first} MASTER_PORT=29400"
SCHEDULERS: dict[str, tuple[Place, ...]] = {
    # https://lws.sigs.k8s.io/docs/reference/labels-annotations-and-environment-variables/
    "lws": (place("LWS_GROUP_SIZE={nodes} LWS_WORKER_INDEX={rank} LWS_LEADER_ADDRESS={first}"),),
    "torchrun": (
        # https://docs.pytorch.org/docs/stable/elastic/run.html: the first process of a machine
        place(
            "WORLD_SIZE={world} RANK={process} LOCAL_RANK=0 LOCAL_WORLD_SIZE=8 GROUP_RANK={rank}"
            " GROUP_WORLD_SIZE={nodes}" + MASTER
        ),
        # PyTorch's own launchers before torchrun, which know of processes only
        place("WORLD_SIZE={world} RANK={process} LOCAL_WORLD_SIZE=8" + MASTER),
        # Kubeflow's PyTorchJob, whose WORLD_SIZE counts processes and whose RANK counts pods
        place(
            "WORLD_SIZE={world} RANK={rank} PET_NODE_RANK={rank} PET_NNODES={nodes}"
            " PET_NPROC_PER_NODE=8" + MASTER
        ),
        # Kubeflow Trainer's TrainJob, from 2.0 on
        place(
            "PET_NNODES={nodes} PET_NPROC_PER_NODE=auto PET_NODE_RANK={rank}"
            " PET_MASTER_ADDR={first} PET_MASTER_PORT=29400"
        ),
    ),
    # https://docs.runpod.io/instant-clusters/configuration
    "runpod": (
        place(
            "NUM_NODES={nodes} NODE_RANK={rank} NUM_TRAINERS=8 WORLD_SIZE={world}"
            " HOST_NODE_ADDR={first}:29400 PRIMARY_ADDR={first} PRIMARY_PORT=29400"
            " NODE_ADDR=10.65.0.{own}" + MASTER
        ),
    ),
    # https://slurm.schedmd.com/srun.html, one task a node
    "slurm": (
        place(
            "SLURM_JOB_NUM_NODES={nodes} SLURM_NNODES={nodes} SLURM_NODEID={rank}"
            " SLURM_PROCID={rank} SLURM_JOB_NODELIST={hosts} SLURM_NODELIST={hosts}"
            " SLURM_STEP_NODELIST={hosts} SLURM_STEP_NUM_NODES={nodes}"
        ),
    ),
    # https://docs.skypilot.co/en/latest/running-jobs/environment-variables.html
    "skypilot": (
        place(
            "SKYPILOT_NUM_NODES={nodes} SKYPILOT_NODE_RANK={rank} SKYPILOT_NODE_IPS={ips}"
            " SKYPILOT_NUM_GPUS_PER_NODE=8"
        ),
    ),
}
