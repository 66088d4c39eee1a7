"""The file of --config, read and written. tests/real asks the real parser the same."""

import json

import pytest
import yaml
from cases import NEWEST
from hypothesis import given
from hypothesis import strategies as st
from support.dialects import refused
from support.examples import some
from support.new_flags import new_flags

from translator import env_to_args
from translator.core.argv.parser import parse
from translator.core.argv.rewriting import LineRules
from translator.core.argv.writer import COMMAND
from translator.core.findings import Finding
from translator.core.settings import same
from translator.core.tables.catalog import shipped
from translator.formats.vllm_config import ConfigFiles, names_no_model, tokens_of, write


def catalog(version: str = NEWEST):
    return shipped().catalog(version)


@pytest.mark.parametrize(
    ("text", "version", "tokens"),
    [
        ("port: 80\nmodel: a", NEWEST, ["--port", "80", "--model", "a"]),
        ("enforce-eager: true", NEWEST, ["--enforce-eager"]),
        ("served-model-name: [a, b]", NEWEST, ["--served-model-name", "a", "b"]),
        ("served-model-name: []", NEWEST, []),
        ("served-model-name: [a, b]", "0.9.2", ["--served-model-name", "['a', 'b']"]),
        ("hf-overrides: {a: {b: true}}", NEWEST, ["--hf-overrides", '{"a": {"b": true}}']),
        ("hf-overrides: {a: 1}", "0.12.0", ["--hf-overrides", "{'a': 1}"]),
        ("revision: null", NEWEST, ["--revision", "None"]),
        ("max_model_len: 8k", NEWEST, ["--max_model_len", "8k"]),
        ("enforce-eager: true", "0.6.4", ["--enforce-eager"]),
        ("enforce-eager: true", "0.6.3", ["--enforce-eager", "True"]),
        ("enable-chunked-prefill: false", "0.6.3", ["--enable-chunked-prefill", "False"]),
    ],
)
def test_the_tokens_of_a_file(text: str, version: str, tokens: list[str]) -> None:
    assert tokens_of(yaml.safe_load(text), catalog(version)) == (tokens, [])


def test_false_is_told_of_with_what_does_it() -> None:
    tokens, findings = tokens_of(
        {"enable-prefix-caching": False, "enforce_eager": False}, catalog("0.19.1")
    )
    assert tokens == []
    assert [(item.code, item.hint) for item in findings] == [
        ("config-false", "Write `no-enable-prefix-caching: true`."),
        ("config-false", "Write `no-enforce-eager: true`."),
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "a", "1: 2", "a: {b: 2020-01-01}", "a: [", "a: 1\n---\nb: 2", "&a [*a]", "x: {{}: 1}"]
)  # fmt: skip
def test_a_file_that_vllm_crashes_on_is_an_error(text: str) -> None:
    files = ConfigFiles(catalog(), lambda path: text)
    assert isinstance(files("f.yaml"), Finding)


def test_a_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + [
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)
    ]
    for text in ("\n".join(lines), "[" * 100_000):
        files = ConfigFiles(catalog(), lambda path, text=text: text)
        assert isinstance(files("f.yaml"), Finding)


def test_a_missing_file_is_an_error_or_stays_a_file() -> None:
    def missing(path: str) -> str:
        raise OSError("no such file")

    assert isinstance(ConfigFiles(catalog(), missing)("f.yaml"), Finding)
    files = ConfigFiles(catalog(), missing, keep_missing=True)
    assert files("f.yaml") is None
    assert [item.code for item in files.findings] == ["config-file-kept"]


def reads_back(argv: list[str], version: str, *, sayable: bool = True) -> None:
    """The file of a command line is read to the same, if the version has words for it."""
    text, findings = write(argv, catalog(version))
    if any(item.severity == "error" for item in findings):
        assert not sayable, [item.line() for item in findings]
        assert {item.code for item in findings} <= {"not-expressible", "model-beside-config"}
        return
    tokens, told = tokens_of(yaml.safe_load(text), catalog(version))
    assert told == []
    in_front = ["m"] if names_no_model(catalog(version).grammar) else []
    wanted, found = (
        parse(argv[2:], catalog(version)),
        parse([*in_front, "--config", "f.yaml"], catalog(version), LineRules(lambda _: tokens)),
    )
    assert found.findings == []
    mine = {name: value for name, (value, _) in found.settings().items()}
    theirs = {name: value for name, (value, _) in wanted.settings().items()}
    model = mine.pop("--model", found.model)
    assert wanted.model == (model or "m")
    assert mine.keys() == theirs.keys()
    assert all(same(mine[name], theirs[name]) for name in theirs)


SAMPLES = [
    "--served-model-name=a", "--served-model-name=-x", "--seed=-1", "--max-model-len=8000", "--gpu-memory-utilization=0.5", "--gpu-memory-utilization=1e-05",
    "--enforce-eager", "--revision=1e3",
    "--revision=true", "--revision=None", "--revision=null", "--revision=", "--revision= x ", "--revision=a: b", "--revision=# x", "--revision=0x10",
    "--revision=2020-01-01", "--revision=é\n日",
    "--revision={}", "--hf-overrides={\"a\":{\"b\":[1,true,null]}}", "--hf-overrides={\"a\":\"1\"}", "--quantization=awq", "--tokenizer-mode=slow",
    "--middleware=a.b", "--allowed-origins=[\"*\"]",
    "--allowed-origins=[\"a\",\"b\"]", "--port=80", "--host=-", "--host=--x", "--host=.", "--ssl-keyfile=-a.b", "--dtype=auto",
    "--chat-template={{ x }}\n  y\t\n", "--disable-log-stats",
]  # fmt: skip


READING = [version for version in shipped().versions() if catalog(version).knows("--config")]


def test_a_version_that_reads_no_file_gets_none() -> None:
    assert READING[0] == "0.6.0"
    text, findings = write([*COMMAND, "m", "--seed=1"], catalog("0.5.5"))
    assert (text, [item.code for item in findings]) == ("", ["flag-not-in-version"])
    found = parse(["m", "--config", "a.yaml"], catalog("0.5.5"))
    assert [item.code for item in found.findings] == ["unknown-flag"]
    told = refused(env_to_args, {"MODEL_NAME": "m", "VLLM_CONFIG_FILE": "/a.yaml"}, vllm="0.5.5")
    assert [code for code, _ in told] == ["flag-not-in-version"]


def test_an_old_version_puts_the_file_before_the_model() -> None:
    """And true after a switch, so that it is refused."""

    def codes(text: str) -> list[str]:
        tokens = tokens_of(yaml.safe_load(text), catalog("0.6.2"))[0]
        found = parse(["m", "--config", "a.yaml"], catalog("0.6.2"), LineRules(lambda _: tokens))
        return [item.code for item in found.findings]

    assert codes("seed: 1") == []
    assert codes("enable-chunked-prefill: true") == []
    assert codes("served-model-name: a") == ["missing-model"]
    assert codes("enforce-eager: true") == ["stray-token"]
    _, findings = write([*COMMAND, "m", "--enforce-eager"], catalog("0.6.2"))
    assert "not-expressible" in [item.code for item in findings]
    listed = [*COMMAND, "m", "--served-model-name=a"]
    assert "not-expressible" in [item.code for item in write(listed, catalog("0.6.2"))[1]]
    file, findings = write([*COMMAND, "m", "--seed=1", *listed[3:]], catalog("0.6.2"))
    assert [item.code for item in findings] == ["model-beside-config"]
    assert codes(file) == []


@pytest.mark.parametrize(
    "version", [version for version in READING if not catalog(version).grammar.config_words]
)
def test_what_is_written_is_read_back_in_every_version(version: str) -> None:
    known = catalog(version)
    for token in some(SAMPLES, READING.index(version)):
        argv = [*COMMAND, "m", token]
        if not parse(argv[2:], known).findings:
            reads_back(argv, version)
    for flag in new_flags(version, "config"):
        if flag.off:
            reads_back([*COMMAND, "m", flag.off], version)
        if flag.kind in ("switch", "toggle"):
            reads_back([*COMMAND, "m", flag.flag], version)
        for text in (*(flag.choices or ())[:1], "2", "0.5", "abc", '{"a": 1}'):
            argv = [*COMMAND, "m", f"{flag.flag}={text}"]
            if (
                flag.takes_value
                and flag.flag not in ("--config", "--model")
                and not parse(argv[2:], known).findings
            ):
                reads_back(argv, version)
                break  # one value that the version takes
    reads_back(
        [*COMMAND, "m", "--middleware=a", "--middleware=b", "--served-model-name", "a", "b"],
        version,
        sayable=known.grammar.config_lists,
    )


@given(
    st.text(st.characters(exclude_characters="\0"), max_size=20)
    | st.text(alphabet="-.: '\"#\n{}[]&*!|>%@`~0123nulltrue", max_size=8)
)
def test_any_text_is_read_back(text: str) -> None:
    reads_back([*COMMAND, "m", f"--revision={text}"], NEWEST)
    reads_back([*COMMAND, "m", f"--served-model-name={text}"], "0.9.2")
    if text and not text.startswith("-"):
        reads_back([*COMMAND, text, "--served-model-name", "a", "b"], NEWEST)


BREAKS = ("a\x85b", "\u2028", "a\u2029", "a\r\nb", "\ufeffa", "a\ufffe", "\U0001ffff", "a\udcff", "\x9b")  # fmt: skip
LIKE_YAML = ("{}", "[a]", "a: b", "- x", "true", "null", "~", "=", "<<", "1_0", "1:30", "2020-01-01", "!x", "&a", "a #b", "@", "%Y", "? a", "| x")  # fmt: skip


@pytest.mark.parametrize("text", BREAKS + LIKE_YAML)
@pytest.mark.parametrize("version", ["0.9.2", "0.11.2", "0.16.0", NEWEST])
def test_texts_that_yaml_gives_a_meaning(text: str, version: str) -> None:
    """The model, a flag, an element of a list and a key of an object; each beside the others."""
    known = catalog(version)
    flags = [f"--revision={text}", f"--hf-overrides={json.dumps({text: [text]})}"]
    if known.grammar.config_lists and not text.startswith("-"):
        flags += ["--middleware=a", "--served-model-name", text, "b"]
    reads_back([*COMMAND, text, *flags], version)
    file, findings = write([*COMMAND, text, *flags], known)
    assert findings == []
    assert yaml.safe_load(file)["model"] == text
    assert file.isascii() or not set(file) & {"\x85", "\u2028", "\u2029"}


def codes(argv: list[str], version: str = NEWEST) -> list[str]:
    return [item.code for item in write([*COMMAND, *argv], catalog(version))[1]]


def test_a_line_that_the_version_refuses_is_no_file() -> None:
    """`vllm serve '- x' --served-model-name a`: from 0.17 on, no model is found there."""
    assert codes(["- x", "--served-model-name", "a", "b"]) == ["missing-model"]
    env = {"MODEL_NAME": "- x", "SERVED_MODEL_NAME": "a,b"}
    assert refused(env_to_args, env, vllm=NEWEST) == [("not-on-argv", "MODEL_NAME")]
    argv = env_to_args(env, vllm="0.9.2").argv
    assert argv == [*COMMAND, "- x", "--served-model-name", "a", "b"]


def test_the_model_in_the_comment_of_a_file_is_a_word_of_a_shell() -> None:
    text, _ = write([*COMMAND, "a: b\u2028"], catalog("0.7.3"))
    assert text == "# vllm serve 'a: b\\u2028' --config THIS_FILE.yaml\n{}\n"


def test_what_a_file_cannot_hold() -> None:
    assert codes(["m", "--config", "x.yaml"]) == ["not-expressible"]
    assert codes(["m", "--served-model-name", "a", "b"], "0.9.2") == ["not-expressible"]
    # In 0.9.0, `vllm serve` has no --model, which is what `model:` becomes.
    for version in ("0.7.3", "0.9.0", "0.9.0.1"):
        assert codes(["m"], version) == ["model-beside-config"]
    assert write([*COMMAND, "m"], catalog("0.9.1")) == ("model: m\n", [])


def test_it_is_readable() -> None:
    env = {"MODEL_NAME": "org/m", "MAX_MODEL_LEN": "8k", "ENABLE_PREFIX_CACHING": "0"}
    env |= {"HF_OVERRIDES": '{"a": {"b": 1}}', "SERVED_MODEL_NAME": "a,b"}
    argv = env_to_args(env, vllm="0.19.1").argv
    assert write(argv, catalog("0.19.1"))[0] == (
        "model: org/m\nno-enable-prefix-caching: true\nhf-overrides:\n  a:\n    b: 1\n"
        "max-model-len: 8000\nserved-model-name:\n  - a\n  - b\n"
    )
