"""Several machines, and the scheduler that numbers them."""

from __future__ import annotations

from translator.findings import ERROR, INFO
from translator.findings.code import Code

CODES: dict[str, Code] = {
    "bad-cluster": Code(
        ERROR,
        "bad-cluster",
        explanation=(
            "With --cluster, the scheduler's variables must say how many machines there are, which"
            " of them this is, and where the first one is. One of them is missing or says"
            " something impossible."
        ),
        example=(
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=2 LWS_LEADER_ADDRESS=first.example",
            "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=1 LWS_LEADER_ADDRESS=first.example",
        ),
    ),
    "cluster-not-in-version": Code(
        ERROR,
        "cluster-not-in-version",
        explanation=(
            "This vLLM cannot join several machines by itself (from 0.11.2 on it can, by"
            " --nnodes). Before that, Ray joins them: `ray start` on every machine, and vLLM with"
            " --distributed-executor-backend ray on the first one only."
        ),
        example=(
            "translate exec --vllm 0.10.2 --cluster lws",
            "translate exec --vllm 0.33.0 --cluster lws",
        ),
    ),
    "place-made-up": Code(
        INFO,
        "place-made-up",
        explanation=(
            "`translate check --cluster` was given settings without the variables by which the"
            " scheduler tells each machine its place. They are checked as the scheduler would"
            " complete them, for the first and for the second of two machines."
        ),
        example=("translate check --cluster lws --env-file .env", ""),
    ),
}
