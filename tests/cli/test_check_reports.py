"""The reports of `check` for programs, by their published shapes, and files that are left out, by
git (cases/program/check_ci.toml has the rest; tests/packaging/test_schemas.py asks schemas).
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documents import ROOT
from support.program import in_process, translate
from support.readers import needs
from support.texts import TEXTS

from translator.cli import check
from translator.cli.check import reports
from translator.cli.check.targets import is_excluded, rooted
from translator.version import __version__

LINES = ["kind: Pod", "spec:", "  containers:", "  - image: vllm/vllm-openai:v0.17.1"]
ARGS = '    args: ["--model=org/m", "--seed=x", "--seed=x", "--enable-prefix-caching=true"]'


def gitlab(folder: Path, *lines: str) -> list[dict[str, Any]]:
    (folder / "pod.yaml").write_text("\n".join([*lines, ""]))
    done = translate("check", "./pod.yaml", "--format", "gitlab", cwd=folder)
    found: list[dict[str, Any]] = json.loads(done.out)
    return found


@pytest.mark.parametrize("form", ["text", "github", "gitlab", "sarif"])
def test_remedies_are_tried_only_where_they_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """A report that tells a finding as its newest version has it is that of all remedies."""
    lines = {
        "a.sh": "vllm serve m --swap-space 4 --max-modle-len 8 --disable-log-requests\n",
        "b.sh": "export VLLM_ATTENTION_BACKEND=FLASHINFER\nvllm serve m --kv-cache-dtype fp9\n",
        "c.env": "MODEL_NAME=m\nMAX_MODLE_LEN=8k\nMY_APP=1\nMY_APP_TOO=2\nSWAP_SPACE=4\n",
        "d.yaml": "\n".join([*LINES, ARGS, ""]),
    }
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    given = ["check", str(tmp_path), "--vllm", "0.17..", "--format", form]
    few = in_process(given)
    monkeypatch.setattr(check, "told", check.advised)
    assert few == in_process(given)
    assert few[0] == 1
    assert "max-model-len" in few[1].lower()


def test_what_gitlab_asks_for(tmp_path: Path) -> None:
    """https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format: the fields, a
    path without `./`, and a fingerprint that is unique and stays where a line moves.
    """
    issues = gitlab(tmp_path, *LINES, ARGS, *LINES[3:], ARGS)
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["path"] == "pod.yaml"
        assert set(issue["location"]) == {"path", "lines"}
        assert type(issue["location"]["lines"]["begin"]) is int
    fingerprints = [issue["fingerprint"] for issue in issues]
    assert len({*fingerprints}) == len(issues) >= 4
    moved = gitlab(tmp_path, "# a comment", *LINES, ARGS, *LINES[3:], ARGS)
    assert [issue["fingerprint"] for issue in moved] == fingerprints
    lines = [issue["location"]["lines"]["begin"] for issue in issues]
    assert [issue["location"]["lines"]["begin"] - 1 for issue in moved] == lines


@given(st.lists(TEXTS, max_size=4))
def test_a_report_of_tests_is_xml(texts: list[str]) -> None:
    """Whatever stands on the line, also what no XML holds."""
    line = ["vllm", "serve", "m", *texts, "--seed=x\ufffe\x01<&]]>"]
    _, out, _ = in_process(["check", "--vllm", "0.33.0", "--format", "junit", "--", *line])
    suite = ElementTree.fromstring(out)
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "1", "1")
    (failure,) = suite.findall("testcase/failure")
    assert failure.text is not None
    assert "<&]]>" in failure.text


def test_a_region_ends_where_the_mistake_ends(tmp_path: Path) -> None:
    """And it is not told of a line with a secret, whose length it would show."""
    key = "    args: [m, --seed=x, --api-key=sk-abcdefghijkl]"
    ends = {}
    for line in (ARGS, key):
        (tmp_path / "pod.yaml").write_text("\n".join([*LINES, line]))
        done = translate("check", "pod.yaml", "--format", "sarif", cwd=tmp_path)
        for result in json.loads(done.out)["runs"][0]["results"]:
            region = result["locations"][0]["physicalLocation"]["region"]
            start, end = region["startColumn"], region.get("endColumn")
            ends[line, result["ruleId"]] = end and line[start - 1 : end - 1]
            assert region.get("endLine") == (end and 5)
    assert ends[ARGS, "bad-integer"] == "--seed"
    assert ends[ARGS, "unexpected-value"] == "--enable-prefix-caching=true"
    assert ends[key, "bad-integer"] is None


def test_the_page_of_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there, in the repository of what was released."""
    assert "helpUri" not in reports._rule("bad-integer")
    monkeypatch.setattr(reports, "REPOSITORY", "https://example.org/acme/otter")
    place, _, anchor = reports._rule("bad-integer")["helpUri"].partition("#")
    assert place == f"https://example.org/acme/otter/blob/v{__version__}/docs/findings.md"
    assert f"\n## `{anchor}`\n" in (ROOT / "docs" / "findings.md").read_text("utf-8")


NAMES = st.sampled_from(("a", "b", "ab", ".a", "a.b"))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
GLOBS = NAMES | st.sampled_from(("*", "**", "a*", "?", "[ab]", "[!a]", "[^b]*", "*.b"))
PATTERNS = st.builds(
    "{}{}{}".format,
    st.sampled_from(("", "/")),
    st.lists(GLOBS, min_size=1, max_size=4).map("/".join),
    st.sampled_from(("", "/")),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


@needs("git")
@given(pattern=PATTERNS, paths=st.lists(PATHS, min_size=1, max_size=20))
def test_what_git_ignores_is_left_out(repository: Path, pattern: str, paths: list[str]) -> None:
    """The files need not exist: git then takes each for a file in folders, as we do."""
    (repository / ".gitignore").write_text(f"{pattern}\n")
    command = ["git", "check-ignore", "--no-index", "--stdin", "-z"]
    done = subprocess.run(command, cwd=repository, input="\0".join(paths), capture_output=True, text=True, check=False)  # fmt: skip
    patterns = rooted([pattern], str(repository))
    ours = {path for path in paths if is_excluded(os.path.join(repository, path), patterns)}
    assert ours == {*filter(None, done.stdout.split("\0"))}
