"""How a run against the real vLLM goes.

    python -m pytest tests/real -n 2 --dist loadgroup          a quarter of an hour on two cores
    TRANSLATE_REAL_VERSIONS=0.33.0 python -m pytest tests/real  one version only (or several)
    TRANSLATE_REAL_RANDOM=2000 TRANSLATE_REAL_SEED=7 ...        more random input, and another
    TRANSLATE_REAL_DIR=/some/where ...                          where the real vLLM is built

The tests of one version run together, in one process, so that its worker starts once; in a single
process oldest version first, and the worker starts while the version before it is being asked. What
the tests count reaches the summary as properties of their reports, which cross processes; every
disagreement is in report/ of TRANSLATE_REAL_DIR.
"""

import collections
import os
import re
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
# The properties of a test's report: what it counted, and which entries of explained.toml it needed.
TALLY, USED = "tally", "explanations used"
FIGURES = ("asked", "accepted", "left", "explained", "replaced")
# The modules of a version, in this order.
ORDER = (
    "catalogs", "variables", "flags_env", "start", "defaults", "ignored_keys", "changes", "golden", "worker", "roundtrip", "yaml", "recipes", "engine_args", "verdict", "mutations", "random_env",
    "dialects", "clusters", "fixes",
)  # fmt: skip


def wanted() -> list[str]:
    """The versions to ask, oldest first."""
    try:
        return building.asked(os.environ.get("TRANSLATE_REAL_VERSIONS") or "")
    except (building.InstallError, ValueError) as error:
        raise pytest.UsageError(f"TRANSLATE_REAL_VERSIONS: {error}") from None


def pytest_report_header() -> str:
    return f"real vLLM: {', '.join(wanted())}"


class Progress:
    """What is known of the run so far, and how it is shown."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.cells: dict[tuple[str, str], dict[str, int]] = {}
        self.seconds: dict[str, float] = collections.defaultdict(float)
        self.used: set[int] = set()
        self.stale: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes in what a test counted."""
        version = version_in(report.nodeid)
        self.seconds[version] += report.duration
        if report.when != "teardown":
            return
        told = dict(report.user_properties)
        self.used.update(told.get(USED, ()))
        if TALLY in told:
            test, figures = told[TALLY]
            cell = self.cells.setdefault((version, test), dict.fromkeys(figures, 0))
            for name, figure in figures.items():
                cell[name] += figure

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """After a run of everything, an explanation that nothing needed is an error."""
        for number, entry in enumerate(explanations()):
            versions = entry.get("versions") or building.versions()
            if number not in self.used and all(
                (version, entry["test"]) in self.cells for version in versions
            ):
                self.stale.append(
                    f"explained.toml, entry {number + 1} ({entry['test']}:"
                    f" {entry['pattern']}) explains nothing any more"
                )
        if self.stale:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """A line for each version, then one for each test: inputs asked, disagreements left and
        explained, and lines that were written for another version.
        """
        terminalreporter.section("the real vLLM")
        for place in (0, 1):
            rows: dict[str, Counter[str]] = collections.defaultdict(Counter)
            for key, cell in self.cells.items():
                rows[key[place]].update(cell)
            for title, row in rows.items():
                seconds = f", {self.seconds[title]:.0f} s" if title in self.seconds else ""
                figures = ", ".join(f"{row[name]} {name}" for name in FIGURES)
                terminalreporter.write_line(f"{title:14} {figures}{seconds}")
        for line in self.stale:
            terminalreporter.write_line(f"ERROR {line}")


def version_in(nodeid: str) -> str:
    """The version in the name of a test, which is its first parameter; "" if there is none."""
    found = re.search(r"\[(\d+\.\d+\.\d+(?:\.\w+)?)[\]-]", nodeid)
    return found[1] if found else ""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[KEY] = Progress(config)
    config.pluginmanager.register(config.stash[KEY], "real-vllm-progress")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "version" in metafunc.fixturenames:
        versions = wanted()
        if not metafunc.module.__name__.endswith("test_catalogs"):
            # Of a release that is like another, the harvest says everything.
            versions = [
                version for version in versions if not building.same(version) or len(versions) == 1
            ]
        metafunc.parametrize("version", versions)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """By version, and within a version in ORDER; what belongs to no version comes
    last. With several processes, each version in one.
    """
    order = {version: place for place, version in enumerate(wanted())}
    tests = {f"test_{name}.py": place for place, name in enumerate(ORDER)}
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    here.sort(
        key=lambda item: (
            order.get(version_in(item.nodeid), len(order)),
            tests.get(item.path.name, len(tests)),
        )
    )
    items[:] = [item for item in items if item not in here] + here
    for item in here:
        if version := version_in(item.nodeid):
            item.add_marker(pytest.mark.xdist_group(version))


@pytest.fixture(scope="session")
def installed() -> building.Installed:
    """The real vLLM, built if need be."""
    return building.install(wanted())


@pytest.fixture(scope="session")
def parsers(installed: building.Installed) -> Iterator[Parsers]:
    """The real parsers of all versions."""
    # Else nobody knows which version comes next, and no core is idle.
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    made = Parsers(installed, wanted() if alone else ())
    yield made
    made.close()


@pytest.fixture
def tally(
    request: pytest.FixtureRequest, version: str, installed: building.Installed
) -> Iterator[Tally]:
    """An empty tally for this test and version; its figures go into the table."""
    test = request.path.stem.removeprefix("test_")
    name = re.sub(r"[^\w.-]", "-", request.node.name.partition("[")[2].rstrip("]"))
    made = Tally(test, version, installed.root / "report" / f"{test}-{name}.txt")
    yield made
    figures = {
        "asked": made.asked,
        "accepted": made.accepted,
        "replaced": made.carried,
        "left": len(made.found),
        "explained": made.explained,
    }
    request.node.user_properties += [(TALLY, (test, figures)), (USED, sorted(made.used))]
