"""The reader of variables (env_to_args): names of every table, changed or not, in several versions,
dialects and clusters.
"""

from __future__ import annotations

from laws.meaning import meaning

from fuzz import names
from fuzz.laws import Broken, answer, bounded
from fuzz.taker import MARKER, Taker, expand
from translator import args_to_env, env_to_args

_STYLES = (
    {},
    {},
    {"json_style": "dotted"},
    {"worker_defaults": True},
    {"extra": ["--port=80", "--api-key", MARKER]},
)
_NESTED = (
    f'{{"kv_connector":"C","kv_role":"kv_both","kv_connector_extra_config":{{"token":"{MARKER}"}}}}'
)


def run(data: bytes) -> None:
    """A version, a dialect, a cluster, a style, and NAME=value fields."""
    taker = Taker(data)
    vllm, dialect, cluster = (
        taker.pick(names.VERSIONS),
        taker.pick(names.DIALECTS),
        taker.pick(names.CLUSTERS),
    )
    style, secret = taker.pick(_STYLES), taker.byte() % 2
    known = names.variables()
    env = {"MODEL_NAME": "org/model", "MODEL": "org/model"}
    if secret:
        env |= {"HF_TOKEN": MARKER, "KV_TRANSFER_CONFIG": _NESTED}
    for field in taker.fields():
        text = expand(field, known, names.words())
        name, _, value = (text if secret else text.replace(MARKER, "plain")).partition("=")
        if name not in ("HF_TOKEN", "KV_TRANSFER_CONFIG"):
            env[name] = value
    with bounded():
        done = answer(
            lambda: env_to_args(env, vllm=vllm, dialect=dialect, cluster=cluster, **style)
        )  # type: ignore[arg-type]
        if done is None:
            return
        if any(not isinstance(token, str) or "\0" in token for token in done.argv):
            raise Broken(f"no argv: {done.argv!a}")
        if meaning(done.argv[2:], vllm) is None:
            raise Broken(f"what was written is refused: {done.argv!a}")
        if style.get("worker_defaults") or style.get("extra") or cluster:
            return
        back = answer(lambda: args_to_env(done.argv, vllm=vllm, dialect=dialect))
        if back is None:
            if dialect == "runpod":
                raise Broken(f"what was written is refused: {done.argv!a}")
            return  # not every dialect can say everything
        if any(item.code == "set-elsewhere" for item in back.findings):
            return  # not by variables
        made = env_to_args(
            back.env, vllm=vllm, dialect=dialect, json_style=style.get("json_style", "compact")
        ).argv  # type: ignore[arg-type]
        if made != done.argv:
            raise Broken(f"{done.argv!a} has become {made!a}")
