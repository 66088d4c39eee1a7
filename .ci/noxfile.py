"""What the ordinary run of the quick suite leaves out: other Pythons, and the tests themselves.

    nox -f .ci/noxfile.py -j 2 -- DIST [TESTS…]

tests what DIST holds (.ci/build_twice.py makes it) on every Python that is found but the oldest
with the newest dependencies, and on two of them (OUTER) with the oldest: the unpacked sdist's tests
on what was installed, with a tenth of the examples of hypothesis, less those that another Python
cannot change (ELSEWHERE). A Python that is not found is skipped.

    nox -f .ci/noxfile.py -s mutate [-- values argv/parser …]

changes one thing after the other in a copy of these rooms or modules (cosmic-ray), runs the tests
of the room and the cases, and shows the changes that none of them notices. It takes an hour or two,
so it runs by hand and in a job of its own; not every change that survives is worth a test.
"""

from __future__ import annotations

import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import nox

nox.needs_version = ">=2026.4"  # sessions side by side
nox.options.default_venv_backend = "venv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False

CHECKOUT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# The oldest and the newest that the oldest dependencies were made for.
OUTER = ("3.10", "3.13")
# Which the ordinary run of the quick suite tests with the newest dependencies.
USUAL = "{}.{}".format(*sys.version_info)
# About the checkout and its documents: the ordinary run tests them.
ELSEWHERE = (
    "tests/real",
    "tests/packaging/test_action.py",
    "tests/packaging/test_checkout.py",
    "tests/packaging/test_conformance.py",
    "tests/packaging/test_docs.py",
    "tests/packaging/test_hook.py",
    "tests/packaging/test_news.py",
    "tests/packaging/test_release.py",
    "tests/packaging/test_schemas.py",
    "tests/unit/maintain/test_adding.py",
)


@nox.session(python=[version for version in PYTHONS[1:] if version != USUAL], allow_parallel=True)
def newest(session: nox.Session) -> None:
    """Test the wheel with the newest dependencies."""
    (wheel,) = dist(session).glob("*.whl")
    session.install(f"{wheel}[test]")
    test(session)


@nox.session(python=OUTER, allow_parallel=True)
def lowest(session: nox.Session) -> None:
    """Test the sdist, built and run with the oldest dependencies that pyproject.toml allows."""
    (sdist,) = dist(session).glob("*.tar.gz")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join(lower_bounds(CHECKOUT / "pyproject.toml")) + "\n")
        constraints.flush()
        # By a variable, because it then holds for the build of the sdist, too.
        session.install(f"{sdist}[test]", env={"PIP_CONSTRAINT": constraints.name})
    test(session)


# What is left out: most changes of an operator are found by any test, and a `|` is in annotations.
MUTATION = """
[cosmic-ray]
module-path = "translator/{module}"
timeout = 120.0
excluded-modules = []
test-command = "python -m pytest -x -q -p no:cacheprovider tests/unit/{room} tests/cases"

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = [
  "core/ReplaceBinaryOperator_(?!Add_Sub|Sub_Add).*",
  "core/ReplaceComparisonOperator_(?!(Eq_NotEq|NotEq_Eq|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt)$).*",
  "core/RemoveDecorator",
]
"""


@nox.session(default=False)
def mutate(session: nox.Session) -> None:
    """Show the changes of a module that its tests do not notice."""
    session.install("-c", f"{CHECKOUT}/.ci/tools.txt", "cosmic-ray", f"{CHECKOUT}[test]")
    for place in session.posargs or ["values", "argv/parser"]:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "checkout")
            shutil.copytree(CHECKOUT, copy, ignore=shutil.ignore_patterns(".*"))
            module = place if (copy / "translator" / place).is_dir() else f"{place}.py"
            session.chdir(copy)
            Path("m.toml").write_text(MUTATION.format(module=module, room=place.partition("/")[0]))
            env = {"PYTHONPATH": str(copy), "TRANSLATE_EXAMPLES": "0.2"}
            session.run("cosmic-ray", "baseline", "m.toml", env=env)
            session.run("cosmic-ray", "init", "m.toml", "m.sqlite", env=env)
            session.run("cr-filter-operators", "m.sqlite", "m.toml", env=env)
            session.run("cosmic-ray", "exec", "m.toml", "m.sqlite", env=env)
            session.run("cr-report", "--surviving-only", "--show-diff", "m.sqlite", env=env)
            session.chdir(CHECKOUT)


def dist(session: nox.Session) -> Path:
    """Return the folder that was given behind `--`."""
    if not session.posargs:
        session.error("say where the sdist and the wheel are: nox -f .ci/noxfile.py -- DIST")
    return Path(session.invoked_from, session.posargs[0])


def test(session: nox.Session) -> None:
    """Run the tests of the unpacked sdist on the package that is installed."""
    (sdist,) = dist(session).glob("*.tar.gz")
    few = {"TRANSLATE_EXAMPLES": "0.1", "TRANSLATE_PLANTED": "100"}
    env = {"PYTHONSAFEPATH": "1", "PYTHONPATH": None, **few}
    with tempfile.TemporaryDirectory() as folder, tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
        (checkout,) = Path(folder).iterdir()
        # Only the installed one is to be found, whatever stands first on sys.path.
        shutil.rmtree(checkout / "translator")
        session.chdir(checkout)
        tests = session.posargs[1:] or ["tests", *(f"--ignore={path}" for path in ELSEWHERE)]
        session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, env=env)
        session.chdir(CHECKOUT)


def lower_bounds(pyproject: Path) -> list[str]:
    """Return every dependency, those of the tests and of the build too, pinned to its lower bound.

    Raises:
        ValueError: one has no lower bound, or more than that.
    """
    project = nox.project.load_toml(pyproject)
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(each for extra in project["project"]["optional-dependencies"].values() for each in extra),
    ]
    pinned = []
    for requirement in wanted:
        if requirement.startswith(f"{project['project']['name']}["):
            continue  # an extra that takes in another
        bound = re.fullmatch(r"([\w.-]+)\s*>=\s*([\w.]+)\s*(;.*)?", requirement)
        if bound is None:
            raise ValueError(f"pyproject.toml: {requirement!r} needs a lower bound and no other")
        pinned.append(f"{bound[1]}=={bound[2]}{bound[3] or ''}")
    return pinned
