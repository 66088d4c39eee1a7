"""Cases as data: what goes in, and what must come out. `cases("env_to_args")` reads
cases/env_to_args.toml, in which {newest} is the newest release of the tables, and {worker} the vLLM
of the newest release of RunPod's worker.
"""

import functools
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
MAPPINGS = HERE.parents[1] / "mappings"
RELEASES = list(tomllib.loads((MAPPINGS / "releases.toml").read_text("utf-8"))["published"])
NEWEST = RELEASES[-1]
_IMAGES = tomllib.loads((MAPPINGS / "images.toml").read_text("utf-8"))["image"]
(_WORKERS,) = (image["versions"] for image in _IMAGES if image["publisher"] == "RunPod")
WORKER, WORKER_VLLM = list(_WORKERS.items())[-1]
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_IMAGE = re.compile(r"(^|/)vllm(-[\w-]+)?(/[\w.-]+)?(:[\w.-]+)?$|vllm-openai")
_MODULE = "vllm.entrypoints.openai.api_server"


@functools.cache
def table(name: str) -> dict[str, Any]:
    """One file of cases."""
    text = (HERE / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text.replace("{newest}", NEWEST).replace("{worker}", WORKER_VLLM))


def cases(name: str) -> list[Any]:
    """The cases of one file, each as a pytest parameter under its own title, that of its table; a
    case of several versions, which may stand at the head of the file, is several.
    """
    import pytest

    found = []
    whole = table(name)
    for title, entry in whole.items():
        if title == "vllm":
            continue
        versions = entry.get("vllm") or whole["vllm"]
        for version in versions if isinstance(versions, list) else [versions]:
            found.append(pytest.param(version, entry, id=f"{title} ({version})"))
    return found


def of_folder(name: str) -> list[Any]:
    """The cases of all files of a folder, each as a pytest parameter under its file and title.
    `files` at the head of a file are those of all its cases.
    """
    import pytest

    found = []
    for path in sorted((HERE / name).glob("*.toml")):
        whole = table(f"{name}/{path.stem}")
        for case in whole["case"]:
            if "files" in whole:
                case = {**case, "files": {**whole["files"], **case.get("files", {})}}
            found.append(pytest.param(case, id=f"{path.stem}: {case['title']}"))
    return found


def steps(case: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """The steps of a case, of a `kind`, each with what the case says beside them; a case without
    any is one itself. A step with `each.NAME` is several, one with each of these as NAME.
    """
    shared = {name: value for name, value in case.items() if name != kind}
    for step in case.get(kind, [{}]):
        whole = {**shared, **step}
        if "each" not in whole:
            yield whole
        for name, values in whole.pop("each", {}).items():
            yield from ({**whole, name: value} for value in values)


def line_of(given: Any) -> Any:
    """The tokens of a command line that a case has as a text; anything else as it is."""
    return shlex.split(given) if isinstance(given, str) else given


class Recipe:
    """A published command line.

    Attributes:
        tokens: what stands behind `vllm serve`.
        module: whether it was the older module, which takes the model as an option in every
            version.
        accepted: the ranges of versions whose real parser takes it, as recorded; None if its
            parsers were not asked, because it names a file.
    """

    def __init__(self, command: str, accepted: list[str] | None = None) -> None:
        self.command, self.accepted = command, accepted
        self.tokens, self.module = _serve_tokens(command)

    @property
    def argv(self) -> list[str]:
        """The command as it is started."""
        head = ["python3", "-m", _MODULE] if self.module else ["vllm", "serve"]
        return [*head, *self.tokens]

    def accepting(self, versions: list[str]) -> list[str]:
        """Those of all versions whose real parser takes it."""
        found = []
        for span in self.accepted or ():
            first, _, last = span.partition("-")
            found += versions[versions.index(first) : versions.index(last or first) + 1]
        return found


def _serve_tokens(command: str) -> tuple[list[str], bool]:
    tokens = shlex.split(command)
    while tokens and _ASSIGNMENT.match(tokens[0]):
        del tokens[0]
    if tokens[:2] == ["docker", "run"]:
        image = next(
            at
            for at, text in enumerate(tokens)
            if _IMAGE.search(text)
            and not text.startswith("-")
            and tokens[at - 1] not in ("--name", "-v")
        )
        tokens = tokens[image + 1 :]
        if tokens[:2] != ["vllm", "serve"]:
            return tokens, True
    if tokens[:2] == ["vllm", "serve"]:
        return tokens[2:], False
    if tokens[0].startswith("python") and tokens[1:3] == ["-m", _MODULE]:
        return tokens[3:], True
    raise ValueError(command)


@functools.cache
def recipes() -> tuple[Recipe, ...]:
    """Every collected command line, in the order of the files and of their entries, which stand
    under the addresses of their sources.
    """
    return tuple(
        Recipe(entry["command"], entry.get("accepted"))
        for path in sorted((HERE / "recipes").glob("*.toml"))
        for entries in table(f"recipes/{path.stem}").values()
        for entry in entries
    )
