"""Programs in Python; what is read of them is data: cases/pasted/python.toml."""

from pathlib import Path

import pytest
from support.program import codes, translate

from translator.deployments.read import Context
from translator.deployments.read.registry import read_commands

ENGINE = "from vllm import LLM\nllm = LLM('org/m', {})\n"


@pytest.mark.parametrize(
    "text",
    ["run(" + "(" * 500, "x = " + "-" * 50_000 + "1", "x = " + "a." * 9_000 + "b", "x = '\0'", "run(['vllm', 'serve', g(f'{a(\"\x01\")}')])", "x = " + "1+" * 20_000 + "1"],
    ids=["brackets", "signs", "attributes", "NUL", "control", "a sum"],
)  # fmt: skip
def test_what_python_cannot_read_is_a_note(text: str) -> None:
    made = read_commands(f"{text}\nrun(['vllm', 'serve', 'm'])", Context(), "x.py")
    assert [item.severity for command in made for item in command.for_check()] in ([], ["info"])


@pytest.mark.parametrize(
    ("vllm", "arguments", "wanted"),
    [
        ("0.6.6", "enforce_eager=False, enable_prefix_caching=False", ""),
        ("0.8.5", "limit_mm_per_prompt={'image': 2}, compilation_config=3", ""),
        ("0.33.0", "enforce_eager=False, compilation_config=3", ""),
        ("0.6.6", "enforce_eager=eager, dtype=torch.float16, hf_overrides=changed, **more", ""),
        ("0.9.2", "disable_log_stats='true'", ""),
        ("0.33.0", "swap_space=4", "removed"),
        ("0.33.0", "max_model_len='long'", "bad-integer"),
        ("0.33.0", "max_model_length=1024", "unknown-flag"),
    ],
)
def test_arguments_of_the_engine_are_those_of_the_version(
    tmp_path: Path, vllm: str, arguments: str, wanted: str
) -> None:
    """A boolean that is false has no negative form on the command lines of old versions."""
    path = tmp_path / "x.py"
    path.write_text(ENGINE.format(arguments))
    ran = translate("check", "--vllm", vllm, str(path))
    told = [code for severity, code in codes(ran.out) if severity == "error"]
    assert (told[-1:] or [""]) == [wanted]


def test_a_folder_has_its_programs(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("import vllm\nrun(['vllm', 'serve', 'm', '--no-such'])\n")
    (tmp_path / "y.py").write_text("print('vllm serve m --no-such')\n")
    ran = translate("check", "--vllm", "0.33.0", str(tmp_path))
    assert codes(ran.out) == [("error", "unknown-flag")]
