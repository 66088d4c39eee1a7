"""Random environments: whatever env_to_args makes of them, if it makes anything, is accepted by the
real parser.
"""

import random
import shlex

from support import forms
from support.catalogs import SECRETS, catalog, dialect, native
from support.samples import by_env

from .conftest import RANDOM, SEED
from .laws import Case, Tally, assignments, compare, emitted, fixed_points
from .parsers import Parsers
from .test_variables import TEXTS

GARBAGE = (
    "", " ", "None", "0", "-1", "1k", "8k", "true", "no", "abc", "{}", "[]", '{"a": [1, {"b": null}]}', "a=1,b=2", "--x", "1e400", "'quoted'", '"', "ü\n",
    "1,2,,3", "\t7", "0x10",
)  # fmt: skip
FILES = ("CONFIG", "VLLM_CONFIG_FILE")  # name files that would have to exist


def test_random_environments(version: str, parsers: Parsers, tally: Tally) -> None:
    """Flags by their names, the dialect's own variables, vLLM's variables and further arguments,
    with good and with odd values.
    """
    rng = random.Random(f"{SEED} {version}")
    cases = [
        (case.name, case.text)
        for flag in catalog(version)["flags"]
        if flag["flag"] not in SECRETS
        for case in by_env(flag)
    ]
    names = [*dialect(), *native(version), *(name for name, _ in cases)]
    argvs = forms.of(version)

    def pair() -> tuple[str, str]:
        how = rng.random()
        if how < 0.6:
            return rng.choice(cases)
        if how < 0.95:
            return rng.choice(names), rng.choice((*GARBAGE, *TEXTS))
        return "VLLM_EXTRA_ARGS", shlex.join(rng.choice(argvs)[1:])

    environments = []
    for _ in range(RANDOM):
        env = dict(pair() for _ in range(rng.randint(1, 5)))
        if rng.random() < 0.95:
            env.setdefault("MODEL_NAME", forms.MODEL)
        environments.append(
            {name: text for name, text in env.items() if name not in FILES and "--conf" not in text}
        )
    cases = [Case(assignments(env), emitted(env, version), None, True) for env in environments]
    fixed_points(tally, compare(parsers, tally, cases))
    tally.settle()
