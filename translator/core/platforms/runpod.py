"""RunPod's worker from 2.24 on, which starts `vllm serve` and hands it jobs.

https://github.com/runpod-workers/worker-vllm: src/args_builder.py and src/main.py.
"""

from __future__ import annotations

from translator.core.platforms import Stops, Token
from translator.core.tables.catalog import CONFIG, variable_of
from translator.core.text.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.core.platforms import ContainerVariables
    from translator.core.settings.scope import Scope

_SWITCHES = {"true": True, "1": True, "yes": True, "on": True}
_SWITCHES |= {"false": False, "0": False, "no": False, "off": False}
_PATIENCE = "VLLM_STARTUP_TIMEOUT"
# Its own variables that are no text.
_NUMBERS = {_PATIENCE: int, "REQUEST_TIMEOUT": float, "MAX_CONCURRENCY": int}


def tokens(env: ContainerVariables, scope: Scope) -> list[Token]:
    """Return the tokens behind `vllm serve`: where it serves, the flags whose names are variables,
    those with a name of RunPod's own, and then further tokens, which win over all.

    Raises:
        Stops: a variable has a value that the worker cannot read.
    """
    for name, kind in _NUMBERS.items():
        text = env.get(name, "1")
        try:
            kind(text)
        except ValueError:
            raise Stops(name, "a number" if kind is float else "a whole number") from None
    if int(env.get(_PATIENCE, "1")) < 1:
        raise Stops(_PATIENCE, "a number of seconds above 0")
    dialect, consumer = scope.dialect, scope.consumer
    names = {variable_of(flag): flag for flag in sorted(consumer.how)}
    names = {name: flag for name, flag in names.items() if dialect.listed(name).role != "reserved"}
    names |= {name: dialect.listed(name).flag for name in consumer.aliases}
    names[scope.config_file] = CONFIG
    flags: dict[str, list[Token]] = {}  # a later variable takes the place of an earlier one
    for name, flag in names.items():
        text, how = env.get(name).strip(), consumer.how.get(flag)
        if not text or (text == "0" and flag in consumer.zero_unset):
            continue
        if how not in ("pair", "switch"):
            flags[flag] = [Token(flag, name), Token(text, name)]
        elif text.lower() not in _SWITCHES:
            raise Stops(name, "`true` or `false`")
        elif _SWITCHES[text.lower()]:
            flags[flag] = [Token(flag, name)]
        elif how == "pair":
            flags[flag] = [Token("--no-" + flag[2:], name)]
    port = "VLLM_PORT"
    line = [
        Token("--host"),
        Token("127.0.0.1"),
        Token("--port", port),
        Token(env.get(port, "8000"), port),
    ]
    for group in flags.values():
        line += group
    try:
        further = words(env.get(scope.extra_args))
    except ValueError:
        raise Stops(scope.extra_args, "words with closed quotes") from None
    return line + [Token(text, scope.extra_args) for text in further]
