"""How a run against the real vLLM goes.

    python -m pytest tests/real                                       everything; about a quarter of an hour on two cores
    TRANSLATE_REAL_VERSIONS=0.33.0 python -m pytest tests/real        one version only (or several, separated by commas)
    TRANSLATE_REAL_RANDOM=2000 TRANSLATE_REAL_SEED=7 ...              more random input, and another
    TRANSLATE_REAL_DIR=/some/where ...                                where the real vLLM is built (default: .real in the checkout)

The tests of one version run together, oldest version first: its worker starts once, while the version before it is being asked.
After each version a line says how it went, at the end a table shows all; every disagreement is in report/ of TRANSLATE_REAL_DIR.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import install as building
from .laws import Tally, explanations
from .parsers import Parsers

KEY = pytest.StashKey["Progress"]()
RANDOM = int(os.environ.get("TRANSLATE_REAL_RANDOM") or 300)
SEED = os.environ.get("TRANSLATE_REAL_SEED") or "0"
# What the table of a run shows, in its order.
COLUMNS = ("catalogs", "variables", "flags_env", "roundtrip", "recipes", "mutations", "random_env")


def wanted() -> list[str]:
    """The versions to ask, oldest first."""
    known = building.versions()
    asked = (os.environ.get("TRANSLATE_REAL_VERSIONS") or "").replace(",", " ").split()
    unknown = set(asked) - set(known)
    if unknown:
        raise pytest.UsageError(f"TRANSLATE_REAL_VERSIONS: no catalog of {', '.join(sorted(unknown))}")
    return [version for version in known if not asked or version in asked]


class Progress:
    """What is known of the run so far."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str], dict[str, Any]] = {}
        self.left: Counter[str] = Counter()
        self.started: dict[str, float] = {}
        self.used: set[int] = set()
        self.recipes: set[int] = set()
        self.failed_explanations: list[str] = []


def version_of(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    found = callspec.params.get("version") if callspec is not None else None
    return str(found) if found is not None else None


def pytest_configure(config: pytest.Config) -> None:
    config.stash[KEY] = Progress()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "version" in metafunc.fixturenames:
        metafunc.parametrize("version", wanted())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    order = {version: place for place, version in enumerate(wanted())}
    tests = {f"test_{name}.py": place for place, name in enumerate(COLUMNS)}
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    here.sort(key=lambda item: (order.get(version_of(item) or "", len(order)), tests.get(item.path.name, len(tests))))
    items[:] = [item for item in items if item not in here] + here
    config.stash[KEY].left = Counter(version for item in here if (version := version_of(item)) is not None)


@pytest.fixture(scope="session")
def installed() -> building.Installed:
    """The real vLLM, built if need be."""
    return building.install(wanted())


@pytest.fixture(scope="session")
def parsers(installed: building.Installed) -> Iterator[Parsers]:
    """The real parsers of all versions."""
    import translator

    assert translator.__file__ is not None
    made = Parsers(installed, Path(translator.__file__).parent, wanted())
    yield made
    made.close()


@pytest.fixture
def tally(request: pytest.FixtureRequest, version: str, installed: building.Installed) -> Iterator[Tally]:
    """An empty tally for this test and version; its figures go into the table."""
    test = request.path.stem.removeprefix("test_")
    made = Tally(test, version, installed.root / "report" / f"{test}-{version}.txt")
    yield made
    progress = request.config.stash[KEY]
    progress.cells[version, test] = {"asked": made.asked, "accepted": made.accepted, "left": len(made.found), "explained": made.explained}
    progress.used |= made.used


@pytest.fixture
def recipes_accepted(request: pytest.FixtureRequest) -> set[int]:
    """Collects the numbers of the recipes that some version accepts."""
    return request.config.stash[KEY].recipes


def pytest_runtest_logstart(nodeid: str, location: Any) -> None:
    del location
    version = nodeid.rpartition("[")[2].rstrip("]")
    progress = CURRENT.stash[KEY] if CURRENT is not None else None
    if progress is not None and version in progress.left:
        progress.started.setdefault(version, time.monotonic())


CURRENT: pytest.Config | None = None


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    global CURRENT
    CURRENT = session.config


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    version = version_of(item)
    progress = item.config.stash[KEY]
    if version is None or version not in progress.left:
        return
    progress.left[version] -= 1
    reporter = item.config.pluginmanager.get_plugin("terminalreporter")
    if progress.left[version] == 0 and reporter is not None:
        cells = [cell for (other, _), cell in progress.cells.items() if other == version]
        asked, left = sum(cell["asked"] for cell in cells), sum(cell["left"] for cell in cells)
        seconds = time.monotonic() - progress.started.get(version, time.monotonic())
        reporter.ensure_newline()
        reporter.write_line(f"vLLM {version:7} {asked:6} asked {left:5} disagree {seconds:5.0f} s")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """After a run of everything, an explanation that nothing needed is an error."""
    del exitstatus
    progress = session.config.stash[KEY]
    for entry in explanations():
        versions = entry.versions or tuple(building.versions())
        if entry.number not in progress.used and all((version, entry.test) in progress.cells for version in versions):
            progress.failed_explanations.append(f"explained.toml, entry {entry.number + 1} ({entry.test}: {entry.pattern.pattern}) explains nothing any more")
    if progress.failed_explanations:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The table: for each version and test how many inputs were asked, and how many disagree."""
    progress = config.stash[KEY]
    if not progress.cells:
        return
    terminalreporter.section("the real vLLM: inputs asked, and how many disagree (+ explained)")
    terminalreporter.write_line("".join(f"{title:>16}" for title in ("version", *COLUMNS)))
    totals: Counter[tuple[str, str]] = Counter()

    def row(title: str, figures: list[dict[str, Any] | None]) -> None:
        texts = ["-" if cell is None else f"{cell['asked']} / {cell['left']}" + (f" +{cell['explained']}" if cell["explained"] else "") for cell in figures]
        terminalreporter.write_line("".join(f"{text:>16}" for text in (title, *texts)))

    for version in dict.fromkeys(version for version, _ in progress.cells):
        row(version, [progress.cells.get((version, column)) for column in COLUMNS])
    for (_, column), cell in progress.cells.items():
        for name, figure in cell.items():
            totals[column, name] += figure
    row("all", [{name: totals[column, name] for name in ("asked", "left", "explained")} for column in COLUMNS])
    if progress.recipes:
        terminalreporter.write_line(f"recipes that some version accepts: {len(progress.recipes)}")
    for line in progress.failed_explanations:
        terminalreporter.write_line(f"ERROR {line}")
