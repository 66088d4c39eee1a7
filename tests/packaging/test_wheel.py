"""The wheel runs where it lies, as a zip on the path, on a bare interpreter: without attrs and PyYAML, it says what the
installed program says.

`.ci/run` names the wheel that it built; otherwise the package under test is put into a zip, as a wheel has it.
"""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from support.program import HOME, PLACE, PYTHON, process

ENV = {
    "MODEL_NAME": "org/m", "MAX_MODEL_LEN": "8k", "ENFORCE_EAGER": "yes", "HF_TOKEN": "hf_abcdefgh",
    "SPECULATIVE_CONFIG": "{'method': 'ngram', 'num_speculative_tokens': 3}", "VLLM_EXTRA_ARGS": "--seed 1 --swap-space 4",
    "TRANSLATE_VLLM_VERSION": "0.27.1", "GROUP_WORLD_SIZE": "2", "GROUP_RANK": "1", "MASTER_ADDR": "first",
}  # fmt: skip
LINE = [
    "vllm", "serve", "org/m", "--max-model-len=8k", "--api-key", "sk-abcdefghijkl", "--swap-space", "4", "--compilation-config.mode=3",
    "--speculative-config", '{"method": "ngram", "num_speculative_tokens": "x"}', "--no-such-flag", "--lora-modules", "a=/a", "b=/b",
]  # fmt: skip
DOCKER = "docker run --gpus all -e HF_TOKEN=hf_abcdefgh -p 80:80 vllm/vllm-openai:v0.11.2 --model org/m --max-model-len $LENGTH"
SCRIPT = 'export SIZE=8k\nif true; then\n  vllm serve org/m --max-model-len "$SIZE" --task=embed && echo done\nfi\n'
GOOD = [
    *["--", "vllm", "serve", "org/m", "-tp=2", "--max-model-len", "25.6k", "--limit-mm-per-prompt"],
    '{"image": 2}',
]


def run(options: list[str], env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return process([PYTHON, *options], env={**ENV, **env}, cwd=cwd)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> str:
    if built := os.environ.get("TRANSLATE_WHEEL"):
        return built
    made = tmp_path_factory.mktemp("dist") / "translate.whl"
    package = Path(HOME) / "translator"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(package.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                archive.write(path, path.relative_to(HOME))
    return str(made)


@pytest.mark.parametrize(
    "arguments",
    [
        ["exec", "--dry-run", "--explain", "--", "--dtype=half"],
        ["env-to-args", "--format", "json", "--cluster", "torchrun"],
        ["env-to-args", "--dialect", "nim"],
        ["env-to-args", "--dialect", "no-such"],
        ["args-to-env", *GOOD],
        ["args-to-env", *GOOD, "--seed=x"],
        ["args-to-env", "--format", "json", "--dialect", "sagemaker", *GOOD],
        ["args-to-env", "--comments", "--explain", "--from", "0.10.2", "--vllm", "0.33.0", "--", *LINE[:-4]],
        ["args-to-env", "--format", "docker", DOCKER],
        ["args-to-env", SCRIPT],
        ["explain", "--seed"],
        ["check", "--", *LINE],
        ["check", "--vllm", "0.9..0.12", "--", *LINE],
        ["check", "--format", "json", "--vllm", "0.12.0", DOCKER],
        ["check", "--format", "sarif", "--dialect", "lmi", "--", *LINE],
        ["check", "--format", "github", "--", *LINE],
        ["check", "--format", "gitlab", "--", *LINE],
        ["check", "--format", "junit", "--statistics", "--", *LINE],
        ["check", "--statistics", "--exclude", "*.env", "--", *LINE],
        ["check", "--env-file", "a.env"],
        ["check", "start.sh"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)  # fmt: skip
def test_it_says_what_the_installed_program_says(
    arguments: list[str], wheel: str, tmp_path: Path
) -> None:
    (tmp_path / "a.env").write_text("MODEL_NAME=org/m\nMAX_MODEL_LEN=8x\n")
    (tmp_path / "start.sh").write_text(SCRIPT)
    bare, installed = (
        run([*options, "-m", "translator", *arguments], {**PLACE, "PYTHONPATH": path}, tmp_path)
        for options, path in ((["-S"], wheel), ([], HOME))
    )
    assert "internal error" not in installed.stderr
    assert (bare.stdout, bare.stderr) == (installed.stdout, installed.stderr)
    assert bare.returncode == installed.returncode


def test_nothing_of_others_is_there(wheel: str, tmp_path: Path) -> None:
    """What needs attrs or PyYAML says which one is not installed."""
    needing = {"attrs": ["tables", "lint"], "yaml": ["env-to-args", "--format", "yaml"]}
    for name, arguments in needing.items():
        done = run(["-S", "-m", "translator", *arguments], {"PYTHONPATH": wheel}, tmp_path)
        assert (done.returncode, f"{name} is not installed" in done.stderr) == (2, True)
