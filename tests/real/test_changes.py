"""Lines and variables written for another version: what they become is accepted by the real parser,
and nothing is lost in silence.
"""

import os

import pytest
from cases import NEWEST
from support.catalogs import catalog, dialect
from support.first_worker import RELEASES as FIRST
from support.first_worker import rows as first_rows
from support.forms import ELSEWHERE, MODEL
from support.samples import uses

from translator import env_to_args
from translator.core.convert import Move, convert_argv
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped

from .laws import Argv, Case, Ours, Tally, assignments, compare, ours, shell
from .parsers import Parsers

# Every flag of these is converted to every version that is asked; issue after issue was opened by
# people who came from them.
SOURCES = (os.environ.get("TRANSLATE_REAL_SOURCES") or f"0.6.6 0.8.5 0.10.2 {NEWEST}").split()
TELLING = (
    "replaced", "renamed-value", "now-default", "removed", "flag-not-in-version", "no-key",
)  # fmt: skip


def lines(version: str) -> list[tuple[str, Argv]]:
    """Every flag of a version as it is typed for it, with a few values each."""
    found: list[tuple[str, Argv]] = []
    for flag in catalog(version)["flags"]:
        name = flag["flag"]
        if name in ELSEWHERE:
            continue
        if flag["kind"] in ("switch", "toggle"):
            found += [(name, (MODEL, text)) for text in (name, *flag.get("negations", ())[-1:])]
        elif flag["kind"] == "append":
            found.append((name, (MODEL, f"{name}=abc")))
        else:
            for tokens, *_ in uses(flag)[:6]:
                whole = (name, *tokens) if len(tokens) > 1 else (f"{name}={tokens[0]}",)
                found.append((name, (MODEL, *whole)))
    return found


@pytest.mark.parametrize("source", SOURCES)
def test_every_flag_of_another_version(
    version: str, source: str, parsers: Parsers, tally: Tally
) -> None:
    """Converted to this version, it is accepted here; or a finding says why there is nothing to
    convert it to.
    """
    if source == version:
        pytest.skip("the same version")
    theirs, mine = (scope(each, "runpod", {}, shipped())[0] for each in (source, version))
    known = mine.catalog.spellings()
    cases: list[Case] = []
    for name, argv in lines(source):
        made = ours(lambda argv=argv: convert_argv(argv, {}, Move(theirs, mine)))
        if made.value is not None:
            tokens = tuple(made.value.argv[2:])
            told = [item for item in made.value.findings if item.code in TELLING]
            if name not in known and len(tokens) == 1 and not told and not made.value.env:
                tally.add("lost", shell(argv), f"  {source} to {version}: nothing, and no finding")
            made = Ours(tokens)
        cases.append(Case(shell(argv), made, None, True, shown=f"{source} to {version}"))
    compare(parsers, tally, cases)
    tally.settle()


SCALED = '{"rope_type":"%s","factor":4.0,"original_max_position_embeddings":512}'


def test_a_longer_context(version: str, parsers: Parsers) -> None:
    """Four times the positions of a model (512): since 0.30, YaRN needs the length, too."""
    mine = scope(version, "runpod", {}, shipped())[0]
    lines = [("0.8.5", "--rope-scaling", SCALED % kind) for kind in ("yarn", "linear", "dynamic")]
    if mine.catalog.version in shipped().versions()[shipped().versions().index("0.12.0") :]:
        whole = f'{{"rope_parameters": {SCALED % "yarn"}}}'
        lines.append(("0.29.0", "--hf-overrides", whole))
    made = []
    for source, *argv in lines:
        move = Move(scope(source, "runpod", {}, shipped())[0], mine)
        made.append(convert_argv([MODEL, *argv, "--max-model-len=2048"], {}, move).argv[3:])
    answers = parsers.asked("engine", version, made)
    if not answers:
        pytest.skip("its engine cannot be configured here")
    assert [answer.refused for answer in answers] == [None] * len(lines)


def test_the_first_table_of_the_worker(version: str, parsers: Parsers, tally: Tally) -> None:
    """Each variable of RunPod's first published table that becomes tokens sets one thing in the
    namespace of the releases of its time, and nothing else.
    """
    if version not in FIRST:
        pytest.skip("a release of another time")
    cases = [{name: text} for name, text, tokens in first_rows(version) if tokens]
    made = [tuple(env_to_args({"MODEL_NAME": "m", **env}, vllm=version).argv[2:]) for env in cases]
    for env, tokens, answer in zip(cases, made, parsers.parse(version, made), strict=True):
        tally.asked += 1
        if answer.ok is not None and len(answer.ok) == 1:
            tally.accepted += 1
        else:
            detail = f"  we: {shell(tokens)}\n  the real parser: {answer.ok or answer.refused}"
            tally.add("does not arrive", assignments(env), detail)
    tally.settle()


def values_of(name: str) -> list[str]:
    """Valid texts for a documented variable, from the newest version that has its flag."""
    entry = dialect()[name]
    flag, _, key = entry["flag"].partition(".")
    if key:
        return ["abc"]
    for item in reversed(shipped().versions()):
        for row in catalog(item)["flags"]:
            if flag not in (row["flag"], *row["aliases"], *row.get("negations", ())):
                continue
            if row["kind"] in ("switch", "toggle", "bool-value"):
                return ["true", "false"]
            default = [entry["default"]] if entry.get("default") not in (None, "", "None") else []
            single = [use[0][0] for use in uses(row) if len(use) == len(use[0]) == 1]
            return [*default, *single[:3]]
    return ["1"]


def test_every_documented_variable(version: str, parsers: Parsers, tally: Tally) -> None:
    """A variable of the worker's table arrives in the real parser's namespace, or a finding says
    why not and what to do.
    """
    cases: list[Case] = []
    for name, entry in dialect().items():
        if entry.get("role", "flag") != "flag" or entry["flag"] in ELSEWHERE:
            continue
        for text in values_of(name):
            env = {"MODEL_NAME": MODEL, name: text}
            made = ours(lambda env=env: env_to_args(env, vllm=version))
            if made.value is not None:
                tokens = tuple(made.value.argv[2:])
                sets = text.lower() not in ("false", "0") and text not in entry.get("unset", ())
                if len(tokens) == 1 and not made.value.findings and sets:
                    tally.add("lost", assignments(env), "  nothing, and no finding")
                made = Ours(tokens)
            cases.append(Case(assignments(env), made, None, True))
    compare(parsers, tally, cases)
    tally.settle()
