"""Law 12: who does what a hint says, in the form of the input, has that finding no more, and no error
or warning that the hint made; two hints of one run do not contradict each other.

The hints are followed as a person does, by their words; nothing of how they were made is read.
"""

import json
import random
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

import pytest

from translator import check
from translator.core.findings import Finding
from translator.core.tables.catalog import Flag, shipped

SEED, MOST = 20261128, 60  # inputs a reader
READERS = {
    "line": ("0.33.0", "runpod", ""),
    "exec": ("0.33.0", "runpod", ""),
    "worker": ("0.30.0", "runpod@2.28.0", ""),
    "sagemaker": ("0.33.0", "sagemaker", "SM_VLLM_"),
    "lmi": ("0.33.0", "lmi", "OPTION_"),
}
MODELS = {"sagemaker": "SM_VLLM_MODEL", "lmi": "OPTION_MODEL_ID"}
# Of what an input says as a whole.
OTHERS = {"image-differs", "kept-in-extra-args", "platform-default", "version-assumed"}
LEAST = 0.98  # of the hints that are followed

Input = tuple[dict[str, str], list[str]]


def mistakes(flag: Flag) -> Iterator[tuple[str, str]]:
    """Yield names and values of a flag, with one mistake each."""
    name = flag.flag[2:].replace("-", "_").upper()
    text = {"int": "4", "float": "0.5", "size": "8192"}.get(flag.kind, "")
    text = str(flag.choices[0]) if flag.choices else text
    if not text:
        return
    yield from ((name, wrong) for wrong in (f"{text},", f'"{text}"', f"{text} ", "no-such"))
    yield name.lower(), text
    yield name.replace("_", ".", 1), text
    yield name[:-2] + name[-1:-3:-1], text


def inputs(reader: str) -> Iterator[Input]:
    """Yield inputs of a reader, one mistake each."""
    version, _, prefix = READERS[reader]
    catalog = shipped().catalog(version)
    flags = [catalog.flag(name) for name in catalog.flag_names()]
    every = [pair for flag in flags if flag is not None for pair in mistakes(flag)]
    for name, text in random.Random(SEED).sample(every, MOST):
        if reader == "line":
            yield (
                {},
                [f"--{name.replace('_', '-')}" if name != name.upper() else option(name), text],
            )
        else:
            yield {prefix + name if name == name.upper() else (prefix + name).lower(): text}, []


def option(name: str) -> str:
    return "--" + name.lower().replace("_", "-")


def found(reader: str, env: Mapping[str, str], line: Sequence[str]) -> list[Finding]:
    version, dialect, _ = READERS[reader]
    if reader == "line":
        return list(check(["vllm", "serve", "org/m", *line], version, env=env))
    return list(check({MODELS.get(reader, "MODEL_NAME"): "org/m", **env}, version, dialect))


def followed(item: Finding, env: Mapping[str, str], line: Sequence[str]) -> Input | None:
    """Return the input of somebody who does what a hint says; None if it only says what to decide."""
    env, line = dict(env), list(line)
    spans = re.findall(r"`([^`]*)`", item.hint)
    if match := re.match(r"Add `([^`]*)` to `(\w+)`", item.hint):
        env.pop(item.subject, None)
        env[match[2]] = " ".join(filter(None, [env.get(match[2]), match[1]]))
        return env, line
    if item.hint.startswith(("Remove it", "Check the spelling, or remove it")):
        return ({}, line) if env else ({}, [])
    if not re.match(r"(Write|Use|Did you mean|For both, write) `", item.hint):
        return None
    if spans[0].startswith("--"):
        words = shlex.split(spans[0])
        renamed = item.hint.startswith("Did") and len(words) == 1 and "=" not in words[0]
        return {}, [words[0], *line[1:]] if renamed else words
    if "=" not in spans[0]:
        return {spans[0]: env[item.subject]}, line
    return dict(span.split("=", 1) for span in spans if "=" in span), line


def written(text: str) -> str:
    """Return a value as a file of variables has it."""
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text


@pytest.mark.parametrize("reader", READERS)
def test_a_remedy_closes(reader: str) -> None:
    """A sample; nothing that is not closed may lead back, or crash."""
    closed, open_ones = 0, []
    for env, line in inputs(reader):
        before = found(reader, env, line)
        told = {(item.code, item.message) for item in before}
        for item in before:
            if item.severity == "info" or item.code in OTHERS:
                continue
            done = followed(item, env, line)
            if done is None:
                continue
            variables = {name: written(text) for name, text in done[0].items()}
            after = found(reader, variables, done[1])
            new = [
                it for it in after if (it.code, it.message) not in told and it.severity != "info"
            ]
            if any((it.code, it.message) == (item.code, item.message) for it in after) or new:
                open_ones.append(
                    (env, line, item.hint, json.dumps(done), [it.line() for it in new])
                )
            else:
                closed += 1
    assert closed >= max(LEAST * (closed + len(open_ones)), MOST // 2), open_ones
