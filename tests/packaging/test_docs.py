"""README.md, CONTRIBUTING.md and docs/: every example is run, what is generated is fresh, and what
they point at exists.
"""

import doctest
import re
from pathlib import Path

import pytest
import yaml
from attrs import fields
from support.documents import DOCUMENTS, ROOT, as_shown, blocks, pictures, run, sessions
from support.program import translate

import translator
from translator import env_to_args
from translator.cli.app import COMMANDS
from translator.formats.kinds import KINDS, NOT_READ, TEMPLATE
from translator.maintain.model.catalog import Grammar

README = ROOT / "README.md"
DOCS = ROOT / "docs"
EXAMPLES = [(path, *session) for path in DOCUMENTS for session in sessions(path)]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    ("document", "command", "expected"),
    EXAMPLES,
    ids=[f"{name_of(path)}: {command[:60]}" for path, command, _ in EXAMPLES],
)
def test_a_command_prints_what_is_shown(document: Path, command: str, expected: list[str]) -> None:
    """Line by line; `python -m tests.support.documents` writes what it prints now."""
    assert as_shown(run(command, document), expected) == expected


def test_the_pictures_show_what_the_program_shows() -> None:
    for document in DOCUMENTS:
        for path, text in pictures(document).items():
            assert text == path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_the_python_examples(document: Path) -> None:
    """As doctests; the examples of one document follow each other."""
    names: dict[str, object] = {}
    for at, text in enumerate(blocks(document, "python")):
        test = doctest.DocTestParser().get_doctest(text, names, f"block {at}", str(document), 0)
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        assert doctest.DocTestRunner(optionflags=flags).run(test, clear_globs=False).failed == 0
        names = test.globs


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_and_paths_exist(document: Path) -> None:
    """Relative links, to headings too, and paths of the checkout between backquotes."""
    text = document.read_text(encoding="utf-8")
    for link, heading in re.findall(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        target = document.parent / link if link else document
        assert target.exists(), link
        if heading:
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings}
            assert heading in anchors, f"{link}#{heading}"
    package = Path(translator.__file__).parents[1]  # installed elsewhere, where a wheel is tested
    for path in re.findall(r"`((?:translator|mappings|tests|docs|\.ci)/[\w./@-]+)`", text):
        root = package if path.startswith("translator/") else ROOT
        assert (root / path).exists(), path


def test_the_generated_pages_are_fresh() -> None:
    """`translate tables docs --write docs` makes them."""
    assert translate("tables", "docs", "--check", str(DOCS)).out == ""


def test_the_index_names_every_page() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    for path in DOCS.glob("*.md"):
        assert path.name == "README.md" or f"]({path.name})" in text, path.name


def test_the_manifest_is_one_and_its_environment_translates() -> None:
    """The Pod of the page about containers."""
    (container,) = yaml.safe_load(blocks(DOCS / "containers.md", "yaml")[0])["spec"]["containers"]
    env = {item["name"]: item.get("value", "secret-of-the-cluster") for item in container["env"]}
    done = env_to_args(env, vllm="0.27.1", extra=container["args"])
    assert done.argv[2] == "org/model"
    assert "--port=8000" in done.argv
    assert "secret-of-the-cluster" not in " ".join(done.argv)


def test_the_wheel_of_the_dockerfile_has_its_name() -> None:
    """`pip wheel` makes it; the version is anything."""
    (dockerfile,) = blocks(README, "dockerfile")
    project = re.search(r'^name = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert project is not None
    assert f"COPY {project[1].replace('-', '_')}-*.whl" in dockerfile


def test_the_table_of_commands_is_complete() -> None:
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `translate ([a-z-]+)", text, re.MULTILINE) == list(COMMANDS)


START = "docker run vllm/vllm-openai:v0.10.2 --model org/m --swap-space 4"
# A file of each kind that starts a vLLM with a flag that a later one does not have.
STARTS = {
    "pod.yaml": "services: {a: {image: 'vllm/vllm-openai:v0.10.2', command: ['--swap-space=4']}}",
    "Dockerfile": 'FROM vllm/vllm-openai:v0.10.2\nCMD ["--model=org/m", "--swap-space=4"]\n',
    "run.sh": START,
    "worker.env": "MODEL_NAME=org/m\nSWAP_SPACE=4\n",
    "vllm.service": f"[Service]\nExecStart={START}\n",
    "vllm.container": "[Container]\nImage=vllm/vllm-openai:v0.10.2\nExec=--swap-space=4\n",
    "start.py": f'import os\nos.system("{START}")\n',
    "recipe.md": f"```sh\n{START}\n```\n",
    "pod.yaml.j2": START,
    "Makefile": f"a:\n\t{START}\n",
}


def test_the_table_of_files_is_that_of_the_kinds(tmp_path: Path) -> None:
    """Their names, and whether `upgrade` edits them."""
    section = (DOCS / "command-line.md").read_text().partition("\n### Files\n")[2]
    table = section.partition("\n#### ")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    rows = {title: more for title, *more in cells[2:]}
    assert sorted(rows) == sorted(kind.title for kind in KINDS)
    for kind in KINDS:
        names, _, edited, *_ = rows[kind.title]
        ends = re.findall(r"`([\w.]+)`", names)
        assert kind is NOT_READ or {*kind.ends} <= {*ends}, kind.title
        assert all(kind.has(end) or kind.has(end.lower()) for end in ends), kind.title
        name = next(
            name for name in STARTS if kind.has(name) and (kind is TEMPLATE or ".j2" not in name)
        )
        file = tmp_path / name
        file.write_text(STARTS[name])
        translate("upgrade", "--from", "0.10.2", "--to", "0.33.0", "--write", name, cwd=tmp_path)
        assert ("swap" not in file.read_text().lower()) == (edited == "yes"), kind.title


def test_the_prose_of_the_schema_names_every_fact_of_a_grammar() -> None:
    prose = (
        (ROOT / "mappings" / "README.md")
        .read_text(encoding="utf-8")
        .partition("`grammar`, by asking")[2]
        .partition("\nA flag:")[0]
    )
    named = set(re.findall(r"`(\w+)`", prose))
    assert {field.name for field in fields(Grammar)} - named == set()
