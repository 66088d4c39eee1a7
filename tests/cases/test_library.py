"""What the library gives, as data (cases/library/ROOM_MODULE.toml).

A case is a call, or has several, and what it says beside them is so of each that does not say
otherwise; `each` of a function has what it is given one after the other. The name of a call's
function holds what it is given: variables, or a command line as a shell takes it. `with` are its
other arguments; its vLLM is 0.33.0 where they say none. What must come of it:

    argv, env       of the result; not looked at if absent
    codes, says, …  its findings: see findings_told.py
    refused         in the place of codes: those of what it raises
"""

from collections.abc import Callable
from typing import Any

import pytest

from cases import line_of, of_folder, steps
from cases.findings_told import compare
from translator import TranslationError, args_to_env, check, convert, env_to_args

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "args_to_env": args_to_env,
    "check": check,
    "convert": convert,
    "env_to_args": env_to_args,
}


@pytest.mark.parametrize("case", of_folder("library"))
def test_what_the_library_gives(case: dict[str, Any]) -> None:
    for call in steps(case, "call"):
        (name,) = FUNCTIONS.keys() & call.keys()
        default = {} if name == "convert" else {"vllm": "0.33.0"}
        try:
            done = FUNCTIONS[name](line_of(call[name]), **{**default, **call.get("with", {})})
        except TranslationError as error:
            if "refused" not in call:
                raise
            compare({**call, "codes": call["refused"]}, error.findings)
            continue
        assert "refused" not in call
        compare(call, done if name == "check" else done.findings)
        if "argv" in call:
            assert done.argv == line_of(call["argv"])
        if "env" in call:
            assert done.env == call["env"]
