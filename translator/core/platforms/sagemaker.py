"""AWS's and Hugging Face's vLLM images for SageMaker, and vLLM's own example script for it.

Each starts `python3 -m vllm.entrypoints.openai.api_server` with the flags that the names behind the
prefix spell. They go by a variable's value alone, and so does our own reading of them: `*_words`.

https://github.com/aws/deep-learning-containers: scripts/docker/vllm/sagemaker_args.py (the newest),
scripts/docker/{vllm,huggingface/vllm}/sagemaker_entrypoint.sh and hf_optimizations.sh (shells).
"""

from __future__ import annotations

from translator.core.platforms import Token
from translator.core.tables.catalog import MODEL, flag_of
from translator.core.text.json_text import JsonError, dumps, loads, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.core.platforms import ContainerVariables, Words
    from translator.core.settings.scope import Scope

# Of these flags, an array stays one token.
_WHOLE = ("--allowed-origins", "--allowed-methods", "--allowed-headers", "--middleware")


def words(flag: str, text: str) -> list[str] | None:
    """Return the tokens of a flag: `true` alone or an empty value is a switch, `false` and an empty
    array are nothing, each element of an array is a token, and so is each of several objects in a
    row.
    """
    inner = text.strip()
    if inner.lower() in ("true", "false"):
        return [flag] if inner.lower() == "true" else None
    if not text:
        return [flag]
    items = None if flag in _WHOLE else _items(inner)
    if items is None:
        return [flag, text]
    return [flag, *map(_word, items)] if items else None


def _items(text: str) -> list[Any] | None:
    """Return the elements of a JSON array, or several objects in a row; None for anything else."""
    if text[:1] == "[" and text[-1:] == "]":
        try:
            items: list[Any] = loads(text)
        except JsonError:
            return None
        return items
    items, at = [], 0
    while text[at : at + 1] == "{":
        try:
            item, at = scan(text, at)
        except (ImportError, StopIteration, ValueError, RecursionError, SystemError):
            return None  # SystemError: up to 3.11, as in `loads`
        items.append(item)
        at = len(text) - len(text[at:].lstrip())
    return items if at == len(text) and len(items) > 1 else None


def _word(item: Any) -> str:
    return item if isinstance(item, str) else "" if item is None else dumps(item)


def shell_words(flag: str, text: str) -> list[str] | None:
    """Return the tokens of a flag: `true` or an empty value is a switch, `false` is nothing."""
    text = _line(text)
    if text.lower() in ("true", "false"):
        return [flag] if text.lower() == "true" else None
    return [flag, text] if text else [flag]


def upstream_words(flag: str, text: str) -> list[str] | None:
    """Return the tokens of a flag: an empty value is a switch, and `true` is a value."""
    text = _line(text)
    return [flag, text] if text else [flag]


def _line(text: str) -> str:
    """Return what a shell reads of a line of `env` behind the name: nothing behind a line break,
    nor a `=` at the end, if it is the only one.
    """
    text = text.partition("\n")[0]
    return text[:-1] if text.find("=") == len(text) - 1 else text


def tokens(env: ContainerVariables, scope: Scope) -> list[Token]:
    """Return the command line of AWS's newest images, built by a Python program."""
    return _command(env, scope, words, _model(env, scope))


def shell_tokens(env: ContainerVariables, scope: Scope) -> list[Token]:
    """Return the command line of AWS's older images, built by a shell."""
    return _command(env, scope, shell_words, _model(env, scope))


def upstream_tokens(env: ContainerVariables, scope: Scope) -> list[Token]:
    """Return the command line of vLLM's example script, which reads no other variable."""
    return _command(env, scope, upstream_words, [])


def huggingface_tokens(env: ContainerVariables, scope: Scope) -> list[Token]:
    """Return the command line of Hugging Face's images: as AWS's older ones, with LMCache, unless
    it is switched off.
    """
    line = _command(env, scope, shell_words, _model(env, scope))
    name = scope.prefix + "KV_TRANSFER_CONFIG"
    switches = ("HF_ENABLE_OPTIMIZATIONS", "HF_ENABLE_LMCACHE")
    if env.get(name) or any((env.get(switch) or "1") != "1" for switch in switches):
        return line
    added = [Token(text) for text in scope.dialect.arguments[-2:]]
    return [token for token in line if token.origin != name] + added


def _model(env: ContainerVariables, scope: Scope) -> list[Token]:
    """Return the tokens of the model where SM_VLLM_MODEL does not name it: only the machine knows
    whether there is one in its folder.
    """
    if env.get(scope.prefix + "MODEL"):
        return []
    name = "HF_MODEL_ID"
    text = env.get(name)
    return [Token(MODEL, name), Token(text, name)] if text else [Token(None)]


def _command(
    env: ContainerVariables, scope: Scope, reads: Words, model: list[Token]
) -> list[Token]:
    line = [Token("--port"), Token("8080"), *model]
    for name in env.names(scope.prefix):
        flag = flag_of(name.removeprefix(scope.prefix))
        line += [Token(text, name) for text in reads(flag, env.get(name)) or ()]
    return line
