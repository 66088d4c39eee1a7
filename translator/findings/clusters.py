"""Several machines, and the scheduler that numbers them."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, Code

CODES: dict[str, Code] = {
    "bad-cluster": Code(
        ERROR,
        "variables of a cluster that make no sense",
        cases={
            "unknown": (
                "There is no cluster `{cluster}`.",
                "Run `translate tables list` to see the clusters.",
            ),
            "missing": (
                (
                    "`{variable}` is not set, nor is `{others}`: {cluster} sets it in each of its"
                    " containers.",
                    "`{variable}` is not set: {cluster} sets it in each of its containers.",
                ),
                "On a single machine, leave `--cluster` out.",
            ),
            "no-address": (
                (
                    "`{variable}` is not set, nor is `{others}`: vLLM needs the address of the"
                    " first machine.",
                    "`{variable}` is not set: vLLM needs the address of the first machine.",
                ),
                "Set `{variable}` to the address of the first machine.",
            ),
            "number": ("`{variable}` is not a whole number.", ""),
            "no-machines": ("`{variable}` is 0: there is at least one machine.", ""),
            "rank": (
                "`{variable}` is {rank}, but `{of}` is {nodes}: expected 0 to {last}.",
                "Set `{variable}` to a number from 0 to {last}.",
            ),
            "processes": (
                "`{variable}` is {processes}, which is no multiple of `{per}` ({each}), the"
                " processes of each machine.",
                "",
            ),
            "hosts": (
                "`{variable}` is not a list of machines such as `node[01-04,07],other`: every"
                " bracket must be closed.",
                "",
            ),
        },
        explanation=(
            "With `--cluster`, the scheduler's variables give the number of machines, the number"
            " of this one, and the address of the first one. One of them is missing or impossible."
        ),
        example=(
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=2 LWS_LEADER_ADDRESS=first.example",
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=1 LWS_LEADER_ADDRESS=first.example",
        ),
    ),
    "cluster-size": Code(
        ERROR,
        "parallel sizes that do not fit the machines",
        cases={
            "world": (
                "`{of}` is {nodes}, which does not divide {world}, the GPUs that the model is split"
                " over (`{flags}`): vLLM {version} does not start.",
                "Set `{variable}` to the number of GPUs of all machines, or so that the sizes"
                " multiplied are a multiple of {nodes}.",
            ),
            "ranks": (
                "`{flag}` is {total}, but {nodes} machines (`{of}`) with {local} ranks each make"
                " {wanted}.",
                "Remove `{flag}`, or set it to {wanted}.",
            ),
            "uneven": (
                "`{flag}` is {total}, which is no multiple of the {nodes} machines (`{of}`):"
                " each of them runs equally many ranks.",
                "Set `{flag}` to a multiple of {nodes}.",
            ),
            "one-rank": (
                "`{flag}` makes each machine one data-parallel rank, but `{ranks}` is {local}:"
                " vLLM does not start.",
                (
                    "Remove `{ranks}`, or use one of `{instead}` instead of `{flag}`.",
                    "Remove `{ranks}`.",
                ),
            ),
        },
        explanation=(
            "With `--cluster`, the sizes of the parallel groups have to fit the number of"
            " machines. vLLM stops at its start if they do not, on every machine."
        ),
        example=(
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=0 LWS_LEADER_ADDRESS=a TENSOR_PARALLEL_SIZE=3",
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=0 LWS_LEADER_ADDRESS=a TENSOR_PARALLEL_SIZE=16",
        ),
    ),
    "no-server-here": Code(
        INFO,
        "flag of a server on a headless machine",
        message=(
            "`{origin}` is left out on machine {rank} (`{of}`): it has no API server, and vLLM"
            " refuses `{flag}` there."
        ),
        explanation=(
            "With `--cluster`, only the first machine has API servers; the others run with"
            " `--headless`. vLLM refuses `--api-server-count` beside `--headless`, so it is"
            " written for the first machine only."
        ),
        example=(
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=1 LWS_LEADER_ADDRESS=a DATA_PARALLEL_SIZE=2"
            " API_SERVER_COUNT=4",
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=0 LWS_LEADER_ADDRESS=a DATA_PARALLEL_SIZE=2"
            " API_SERVER_COUNT=4",
        ),
    ),
    "cluster-not-in-version": Code(
        ERROR,
        "vLLM that cannot join machines itself",
        cases={
            "first": (
                "vLLM {version} has no `{flag}`: {program} has to join the machines.",
                "Set `{setting}`: `translate exec` then starts {program} on each machine."
                " Without it, also run `{first}` here first, and `{command}` on the other"
                " machines.",
            ),
            "not-first": (
                "vLLM {version} uses {program} to join the machines and runs on the first one"
                " only; this is number {rank}.",
                "Run `{command}` on this machine, as `translate exec` does.",
            ),
            "data-parallel": (
                "vLLM {version} has no `{flags}`: it cannot spread data-parallel ranks over"
                " several machines.",
                "Use vLLM {since} or newer, or `{setting}`.",
            ),
        },
        explanation=(
            "vLLM joins several machines by itself from 0.11.2 on (`--nnodes`). Before that, Ray"
            " joins them: run `ray start` on every machine, and vLLM with"
            " `--distributed-executor-backend ray` on the first one only. `translate exec"
            " --cluster` does that if `DISTRIBUTED_EXECUTOR_BACKEND=ray` is set."
        ),
        example=(
            "translate exec --vllm 0.10.2 --cluster lws",
            "translate exec --vllm 0.33.0 --cluster lws",
        ),
    ),
    "place-made-up": Code(
        INFO,
        "check of two made-up machines",
        message=(
            "No variable gives the number of this machine: checked as the first and the second of"
            " two machines of a {cluster} cluster."
        ),
        explanation=(
            "`translate check --cluster` got no variables of the scheduler. The rest is checked"
            " with made-up ones, for the first and for the second of two machines."
        ),
        example=("translate check --cluster lws --env-file .env", ""),
    ),
}
