"""`translate check`, as a process."""

from pathlib import Path
from unittest import mock

import pytest
from cases import NEWEST

from translator import TranslationError, args_to_env
from translator.advice.check import check_argv
from translator.cli import options
from translator.cli.check import versions_in
from translator.cli.main import main
from translator.core.findings import UsageError
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import Tables, shipped
from translator.formats import yaml_nodes


@pytest.mark.parametrize("version", ["0.7.3", "0.12.0", "0.27.1", NEWEST])
@pytest.mark.parametrize("dialect", ["runpod", "sagemaker", "nim"])
@pytest.mark.parametrize(
    "line",
    [
        ["--max-modle-len 8k"],
        ["m", "--max-modle-len", "8k"],
        ["m", "--middleware", "a.b", "--middleware", "c.d"],
        ["m", "--task", "embed", "--swap-space", "4"],
        ["m", "--guided-decoding-backend", "xgrammar"],
        ["m", "--seed", "1", "--seed", "2", "--api-key", "sk-secretsecret"],
        ["m", "--otlp-traces-endpoint", "http://me:s3cretsecret@host"],
        ["m", "--served-model-name", "a", "--", "-b"],
        ["m", "--chat-template", "x" * 1100],
        ["m", "--chat-template", "a\0b"],
        ["m", "--enable-auto-tool-choice"],
        ["--seed", "1"],
        ["-x y", "--seed", "two"],
    ],
)
def test_it_says_no_less_of_the_line_than_args_to_env(
    line: list[str], dialect: str, version: str
) -> None:
    """`check -- vllm serve '--max-modle-len 8k'` had nothing to say. Of the variables that
    args-to-env writes it says nothing: nobody writes them.
    """
    argv, scope = ["vllm", "serve", *line], scope_of(version, dialect, {}, shipped())[0]
    try:
        said = args_to_env(argv, version, dialect).findings
    except TranslationError as error:
        said = error.findings
    found = {(item.code, item.subject) for item in check_argv(argv, {}, scope)}
    of_variables = {
        "kept-in-extra-args", "platform-default", "not-expressible", "over-limit", "platform-differs", "older-platform", "platform-breaks",
    }  # fmt: skip
    moved = {"secret-moved": "secret-on-argv"}  # check moves nothing
    wanted = {(moved.get(item.code, item.code), item.subject) for item in said}
    assert {item for item in wanted - found if item[0] not in of_variables} == set()
    assert not {*of_variables, "secret-moved"} & {code for code, _ in found}


def test_tables_of_ones_own_are_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were for every container, and once more for every file of properties."""
    path = tmp_path / "d.yaml"
    service = "{image: x, environment: [MODEL_NAME=m, MAX_MODEL_LEN=8]}"
    path.write_text(f"services:\n  a: {service}\n  b: {service}\n  c: {service}\n")
    asked: list[str] = []

    def counted(folder: str) -> Tables:
        asked.append(folder)
        return shipped()

    monkeypatch.setattr(options, "tables_from", counted)
    assert main(["check", "--tables", "mine", str(path), str(path)]) == 0
    assert asked == ["mine"]
    capsys.readouterr()


def test_ranges() -> None:
    known = shipped().versions()
    minors = "0.9.0 0.9.0.1 0.9.1 0.9.2 0.10.0 0.10.1 0.10.1.1 0.10.2"
    assert versions_in("0.9..0.10", known) == minors.split()
    assert versions_in("0.6.6.post1..0.7.1", known) == ["0.6.6.post1", "0.7.0", "0.7.1"]
    assert versions_in("0.32..", known) == known[known.index("0.32.0") :]
    assert versions_in("..0.5.3", known) == ["0.5.2", "0.5.3"]
    assert versions_in("all", known) == known
    assert versions_in("0.19.1", known) == ["0.19.1"]
    for text in ("a..b", "99.0..", "0.9..0.8"):
        with pytest.raises(UsageError):
            versions_in(text, known)


@pytest.mark.parametrize(
    "line",
    [
        ">--seed x", "--seed 1 >--seed x1", ">--max-model-len=x --seed 1", "-cc.mode=1 >-cc.no_such=1", "-O3 >--zz 1", "m --port 1 >stray",
        ">--swap-space 4", "-O3 --task=embed >--task embed", ">--api-key abcdefgh", "-cc.mode=1 --model m >--max_model_len=x",
    ],
)  # fmt: skip
def test_the_token_that_a_finding_is_about(line: str) -> None:
    """Its index on the user's line, through all rewriting."""
    words = f"vllm serve {line}".split()
    at = next(at for at, word in enumerate(words) if word[0] == ">")
    words[at] = words[at][1:]
    here = scope_of("0.33.0", "runpod", {}, shipped())[0]
    assert at in [item.origin.at for item in check_argv(words, {}, here) if item.origin]


def test_a_config_file_with_mistakes_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the file is that somebody names by mistake."""
    path = tmp_path / "foreign.yaml"
    path.write_text("".join(f"key{number}: [1, 2]\n" for number in range(100)))
    read = mock.Mock(side_effect=yaml_nodes.documents)
    monkeypatch.setattr(yaml_nodes, "documents", read)
    assert main(["check", "--", "vllm", "serve", "m", "--config", str(path)]) == 1
    assert read.call_count == 1
