"""Public files that use a platform's variables: what the platform's program makes of them is what we
make of them, or a finding says where it differs.
"""

from typing import Any

import pytest
from support.consumers import LMI_ALOUD, Stops, tokens_for
from support.dialects import settings

from cases import table
from translator import TranslationError, env_to_args
from translator.core.settings import same
from translator.core.tables.catalog import shipped

CASES = [case for cases in table("platforms").values() for case in cases]
# What the container adds for itself, and vLLM knows already, is not asked about.
TOLD = ("platform-default",)


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case['dialect']} {at}" for at, case in enumerate(CASES)]
)
def test_a_public_file_is_read_as_its_platform_reads_it(case: dict[str, Any]) -> None:
    dialect, env = case["dialect"], case["env"]
    version = "0.27.1"
    catalog = shipped().catalog(version)
    fields = {flag.flag[2:].replace("-", "_") for flag in catalog.flags()}
    more: dict[str, Any] = {"fields": fields} if dialect == "lmi" else {}
    more |= {"data_parallel": True} if "VLLM_API_SERVER_COUNT" in env else {}
    try:
        made = env_to_args(env, vllm=version, dialect=dialect)
    except TranslationError:
        pytest.fail("a public file has an error")
    told = {item.subject for item in made.findings if item.code not in TOLD}
    added = {
        name for item in made.findings if item.code in TOLD for name in item.subject.split(", ")
    }
    try:
        tokens = tokens_for(dialect, env, **more)
    except (Stops, KeyError, ValueError):
        assert told & env.keys()
        return
    assert tokens is not None
    theirs, mine = (
        {
            name: value
            for name, value in settings(list(line), version).items()
            if ((flag := catalog.flag(name)) is None or not same(value, flag.default))
            and (dialect != "lmi" or str(value) != LMI_ALOUD.get(name[2:].replace("-", "_")))
        }
        for line in (tokens, made.argv[2:])
    )
    differing = {
        name
        for name in theirs.keys() | mine.keys()
        if theirs.get(name) != mine.get(name) and name not in added
    }
    # A finding names the variable of each difference.
    names = {
        name: {item for item in env if item.lower().replace("_", "-").endswith(name[2:])}
        for name in differing
    }
    assert all(found & told for found in names.values()), (differing, theirs, mine)


def test_there_are_public_files_of_most_platforms() -> None:
    assert {case["dialect"] for case in CASES} >= {"kserve", "lmi", "sagemaker"}
