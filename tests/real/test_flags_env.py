"""Every flag of every version, set by its name in capitals, means what it means when typed by
hand.
"""

from support.catalogs import catalog, dialect
from support.forms import ELSEWHERE, MODEL
from support.samples import by_env

from .laws import Case, Tally, assignments, compare, emitted
from .parsers import Parsers


def test_every_flag_by_its_name_in_capitals(version: str, parsers: Parsers, tally: Tally) -> None:
    """Booleans both ways, numbers, sizes, JSON with every key, lists of one and of two; and what
    must be refused.
    """
    table = dialect()
    cases: list[Case] = []
    for flag in catalog(version)["flags"]:
        if flag["flag"] in ELSEWHERE:
            continue
        for case in by_env(flag):
            entry = table.get(case.name, {})
            if entry.get("role") == "reserved":
                continue
            typed = () if case.text in entry.get("unset", ()) else case.typed
            env = {"MODEL_NAME": MODEL, case.name: case.text}
            argv = None if typed is None else (MODEL, *typed)
            cases.append(Case(assignments(env), emitted(env, version), argv))
    compare(parsers, tally, cases)
    tally.settle()
