"""What RunPod's worker makes of each of its variables with a dozen values, beside what we make of
them: its own code is run, with the real vLLM of the time.

    PYTHON tests/real/values.py CLONE DIALECT VERSION TAG SOURCES [--record]

The arguments are those of generations.py. Each variable that the worker's code names, that the dialect lists, or
that is called like an engine argument gets a sign for each of the values. Where the worker makes
something else of one than we do, and no finding tells so, it is printed. `--record` writes the
signs into tests/cases/worker_values.json, for tests/laws/test_generations.py.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from generations import HERE, Worker, alike, canon, prepare

RECORD = HERE.parents[1] / "cases" / "worker_values.json"
# Its engine.py reads the one, Hugging Face's own library the other; the model is always set.
NOT_ASKED = {"OPENAI_SERVED_MODEL_NAME_OVERRIDE", "HF_TOKEN", "MODEL_NAME", "MODEL"}


def main() -> None:
    clone, dialect, version, tag, sources = sys.argv[1:6]
    real, engine_args = prepare(sources)
    sys.path.append(str(HERE.parents[1]))
    from support.worker_values import OTHER, SAME, STOPS, UNSET, VALUES, wrong

    from translator import TranslationError, env_to_args
    from translator.core.tables.catalog import shipped
    from translator.core.tables.dialects import find_dialect

    worker = Worker(clone, tag, Path(tempfile.mkdtemp()))
    fields = [item.name for item in dataclasses.fields(engine_args)]
    names = {*re.findall(r"[\"']([A-Z][A-Z0-9_]{2,})[\"']", worker.path.read_text())}
    names |= {name for name in shipped().records(f"dialect.{dialect}.json") if name[0] != "@"}
    names |= {name.upper() for name in fields if name[0] != "_"}

    def theirs(env: dict[str, str]) -> Any:
        """The values of the worker's fields; None if it stops."""
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                return vars(worker.engine_args({"MODEL_NAME": "m", **env}))
            except (Exception, SystemExit):
                return None

    def ours(env: dict[str, str]) -> tuple[Any, Any]:
        """The values of our fields, None if they are refused; and the findings."""
        try:
            done = env_to_args({"MODEL_NAME": "m", **env}, vllm=version, dialect=dialect)
        except TranslationError as error:
            return None, error.findings
        return vars(engine_args.from_cli_args(real.parse(done.argv[2:]))), done.findings

    plain, our_plain = theirs({}), ours({})[0]
    head = find_dialect(dialect, shipped())
    assert head is not None
    # A note says so whenever it does.
    calculated = {flag[2:].replace("-", "_") for flag in head.consumer.calculates}

    def unlike(one: Any, other: Any) -> list[tuple[Any, ...]]:
        """The fields that differ, but for those that always do."""
        return [
            (name, canon(one[name]), canon(other[name]))
            for name in fields
            if not alike(name, one[name], other[name])
            and (canon(one[name]), canon(other[name]))
            != (canon(plain[name]), canon(our_plain[name]))
        ]

    def sign(name: str, text: str) -> str:
        them, (mine, findings) = theirs({name: text}), ours({name: text})
        differing: list[Any] = []
        if them is None or them.get("max_context_len_to_capture"):  # which its ModelConfig refuses
            found = STOPS
        elif mine is not None and not (
            differing := [
                item
                for item in unlike(them, mine)
                if item[0] not in calculated or name.lower() in calculated
            ]
        ):
            found = SAME
        else:
            found = OTHER if any(canon(them[n]) != canon(plain[n]) for n in fields) else UNSET
        if fault := wrong(found, name, findings):
            print(found, f"{name}={text}", fault, differing)
        return found

    record: dict[str, list[str]] = {}
    for name in sorted(names - NOT_ASKED):
        record.setdefault("".join(sign(name, text) for text in VALUES), []).append(name)
    count = Counter("".join(signs * len(found) for signs, found in record.items()))
    print(dialect, version, tag, dict(count))
    if "--record" in sys.argv:
        signs = {found: " ".join(named) for found, named in record.items()}
        whole = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        whole[dialect] = {"vllm": version, "worker": tag, "signs": signs}
        RECORD.write_text(json.dumps(dict(sorted(whole.items())), indent=0) + "\n")


if __name__ == "__main__":
    main()
