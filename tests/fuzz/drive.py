"""One target under atheris, in a process of its own: `drive.py TARGET SECONDS FOLDER`, or `drive.py
TARGET merge FOLDER MOST`.

What a target raises does not end the campaign: the first input for each place that raised is kept
in FOLDER/found, with its traceback. A hang or too much
memory ends it: libFuzzer writes the input there, too.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType

TESTS = Path(__file__).resolve().parents[1]
LONGEST = 4096
"""Bytes of an input: larger ones find no more, and cost time. Megabytes are
tests/robustness/test_hostile.py.
"""


def _instrumented() -> Callable[[str], Callable[[bytes], None]]:
    """Everything under test, imported so that the fuzzer sees which branches are taken."""
    import atheris

    with atheris.instrument_imports(include=["translator", "yaml"]):
        import yaml

        import translator

        for module in pkgutil.walk_packages(translator.__path__, "translator."):
            if not module.name.startswith(
                (
                    "translator._compiled",
                    "translator.authoring.harvest",
                    "translator.__main__",
                )
            ):
                importlib.import_module(module.name)
        assert yaml
        from fuzz.targets import TARGETS

    return TARGETS.__getitem__


def _place(error: BaseException) -> str:
    """The kind of an error and where it was raised, by which two of a kind are told apart."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/translator/" in frame.filename] or frames
    last = frames[-1] if type(error).__name__ == "Broken" else ours[-1]
    return f"{type(error).__name__}-{Path(last.filename).stem}-{last.lineno}"


def _guarded(run: Callable[[bytes], None], folder: Path) -> Callable[[bytes], None]:
    """The target, with what it raises noted instead of raised."""
    folder.mkdir(parents=True, exist_ok=True)

    def one(data: bytes) -> None:
        try:
            run(data)
        except Exception as error:
            name = folder / _place(error)
            if not name.with_suffix(".txt").exists():
                name.with_suffix(".bin").write_bytes(data)
                name.with_suffix(".txt").write_text(
                    f"{data!r}\n{''.join(traceback.format_exception(error))[-6000:]}",
                    encoding="utf-8",
                    errors="backslashreplace",
                )

    return one


def campaign(target: str, seconds: int, folder: Path) -> None:
    """Run a target for some time; does not return."""
    import atheris

    run = _instrumented()(target)
    from fuzz import corpus, names
    from fuzz.seeds import seeds

    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    words = folder / "dictionary"
    words.write_text(
        "".join(
            f'"{"".join(f"{chr(92)}x{byte:02x}" for byte in word.encode("utf-8", "surrogateescape"))}"\n'
            for word in names.dictionary()
        )
    )
    kept = corpus.FOLDER / target
    kept.mkdir(parents=True, exist_ok=True)
    for data in seeds(target):
        if len(data) <= LONGEST:
            (inputs / f"seed-{hashlib.sha1(data).hexdigest()[:12]}").write_bytes(data)
    options = [
        f"-max_total_time={seconds}",
        "-timeout=20",
        "-rss_limit_mb=1500",
        f"-max_len={LONGEST}",
        "-len_control=20",
        f"-artifact_prefix={folder}/found/",
        f"-dict={words}",
        "-print_final_stats=1",
        "-verbosity=1",
        "-reload=0",
    ]
    atheris.Setup([target, *options, str(inputs), str(kept)], _guarded(run, folder / "found"))
    atheris.Fuzz()


def _steps(run: Callable[[bytes], None], data: bytes) -> set[tuple[str, int, int]]:
    """The steps from line to line that an input makes the code under test go."""
    found: set[tuple[str, int, int]] = set()

    def trace(frame: FrameType, event: str, _: object) -> object:
        name = frame.f_code.co_filename
        if "/translator/" not in name:
            return None
        before = 0

        def line(frame: FrameType, event: str, _: object) -> object:
            nonlocal before
            found.add((name, before, frame.f_lineno))
            before = frame.f_lineno
            return line

        return line

    sys.settrace(trace)
    try:
        run(data)
    finally:
        sys.settrace(None)
    return found


def merge(target: str, folder: Path, most: int) -> None:
    """Bring the committed inputs up to date: those that were, and those that grew, as far as each
    goes a step that no other goes, and some more.
    """
    from fuzz import corpus
    from fuzz.targets import TARGETS

    run = TARGETS[target]
    kept = corpus.FOLDER / target
    kept.mkdir(parents=True, exist_ok=True)
    inputs = {
        path.read_bytes()
        for place in (kept, folder / "inputs")
        for path in place.glob("*")
        if path.is_file()
    }
    run(b"")
    left = {data: _steps(run, data) for data in sorted(inputs, key=lambda data: (len(data), data))}
    for path in kept.glob("*"):
        path.unlink()
    for _ in range(min(most, len(left))):
        best = max(left, key=lambda data: len(left[data]))
        steps = left.pop(best)
        if not steps and len(list(kept.iterdir())) >= most // 2:
            break
        (kept / hashlib.sha1(best).hexdigest()[:12]).write_bytes(best)
        left = {data: others - steps for data, others in left.items()}


if __name__ == "__main__":
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    _, chosen, what, where, *more = sys.argv
    if what == "merge":
        merge(chosen, Path(where), int(more[0]))
    else:
        campaign(chosen, int(what), Path(where))
