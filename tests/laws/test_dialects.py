"""Every flag in every dialect: it arrives, or a finding says that it does not; and from one dialect
to another.
"""

from typing import Any

import pytest
from cases import NEWEST, table
from support.carrying import carry
from support.consumers import DIALECTS, PAIRED, tokens_for
from support.dialects import settings, subjects
from support.examples import some
from support.new_flags import facts

from laws.strategies import samples
from translator import TranslationError, args_to_env, env_to_args
from translator.core.convert import Move, convert_env
from translator.core.settings import same
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped

VERSIONS = ("0.27.1", NEWEST)


def holds(wanted: dict[str, Any], found: dict[str, Any]) -> bool:
    return all(same(found.get(name), value) for name, value in wanted.items())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_flag_arrives_or_is_told_of(dialect: str, version: str) -> None:
    """Of the newer version, those flags that the older one has not, or otherwise."""
    catalog = shipped().catalog(version)
    older = facts(VERSIONS[0]) if version != VERSIONS[0] else {}
    arrived = told = 0
    every = [
        (flag, tokens)
        for turn, flag in enumerate(catalog.flags(), DIALECTS.index(dialect))
        if flag.flag not in ("--model", "--config", "--help", "--served-model-name")
        and older.get(flag.flag) != facts(version).get(flag.flag, "")
        for tokens in some(samples(flag, version, 8), turn)
    ]
    for flag, tokens in every:
        argv = ["org/model", *tokens]
        try:
            wanted = settings(argv, version)
        except (AssertionError, TranslationError, ValueError):
            continue
        if flag.flag not in wanted:
            continue
        try:
            made = args_to_env(argv, vllm=version, dialect=dialect)
        except TranslationError as error:
            told += {item.code for item in error.findings if item.severity == "error"} <= {
                "not-expressible",
                "over-limit",
                "refused-at-start",
            } or pytest.fail(f"{argv}: {error}")
            continue
        secret = any(item.code == "secret-moved" for item in made.findings)
        wanted = {"--model": "org/model"} if secret else wanted
        elsewhere = subjects(made.findings, "set-elsewhere")
        wanted = {name: value for name, value in wanted.items() if name not in elsewhere}
        assert holds(
            wanted, settings(env_to_args(made.env, vllm=version, dialect=dialect).argv[2:], version)
        ), (argv, made.env)
        theirs = tokens_for(
            dialect, made.env, **({"version": version} if dialect == "runpod" else {})
        )
        wanted = {
            name: value
            for name, value in wanted.items()
            if name not in subjects(made.findings, "platform-differs")
        }
        if theirs is not None:
            assert holds(wanted, settings(theirs, version)), (argv, made.env)
        arrived += 1
    if older:
        return
    assert arrived > 100
    # What another program reads, it reads by rules of its own; nim and runpod take any flag.
    here = scope(version, dialect, {}, shipped())[0]
    assert told > 0 or not here.consumer.exists or here.extra_args


RECORDED = table("dialects")


@pytest.mark.parametrize("dialect", PAIRED)
def test_twenty_flags_in_a_dialect(dialect: str) -> None:
    """The very variables, and the findings."""
    case = RECORDED[dialect]
    like = RECORDED.get(case.get("like"), {"env": {}})
    source, target = (
        scope("0.27.1", name, {}, shipped())[0]
        for name in ("runpod" if dialect == "prefix:MY_" else "prefix:MY_", dialect)
    )
    done = carry(source.name, dialect, "0.27.1")
    assert done.there == {**like["env"], **case.get("env", {})}
    assert sorted(done.refused) == case.get("cannot", [])
    findings = convert_env(done.start, Move(source, target)).findings
    assert sorted(f"{item.code} {item.subject}" for item in findings) == case.get("told", [])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_second_reading_tells_the_same(dialect: str) -> None:
    """What is kept from one call to the next keeps its findings, too."""
    prefix = scope("0.27.1", dialect, {}, shipped())[0].prefix
    env = {
        **args_to_env(["m"], vllm="0.27.1", dialect=dialect).env,
        f"{prefix}ALL2ALL_BACKEND": "naive",
        f"{prefix}UVICORN_LOG_LEVEL": "info",
    }
    first, second = (env_to_args(env, vllm="0.27.1", dialect=dialect).findings for _ in range(2))
    assert first == second
