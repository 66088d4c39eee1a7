"""What people paste, taken apart."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from growth.measure import RATIO, growth
from hypothesis import given
from hypothesis import strategies as st

from translator.files.command import Context
from translator.files.registry import read_behind, read_text
from translator.files.unwrap import read_tokens
from translator.secrets.secrets import secrets_of
from translator.text.references import holes
from translator.text.shell import split

SERVE = ["vllm", "serve", "org/m"]


def codes(done) -> list[str]:
    return [item.code for item in done.findings]


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve org/m -tp 2",
        "$ vllm serve org/m \\\n    -tp 2\n",
        "vllm serve org/m \\  \n  -tp 2   # two cards",
        "vllm serve org/m\n  -tp 2",
        "# how to serve it\nvllm serve org/m -tp 2",
        "vllm serve 'org/m' \"-tp\" $'2'",
        "exec vllm serve org/m -tp 2",
        "sudo -E nohup vllm serve org/m -tp 2",
        "env -u X vllm serve org/m -tp 2",
        "nice -n 5 numactl --cpunodebind=0 vllm serve org/m -tp 2",
        "timeout 30m vllm serve org/m -tp 2",
        "uv run --with vllm vllm serve org/m -tp 2",
        "conda run -n x vllm serve org/m -tp 2",
        "bash -lc 'vllm serve org/m -tp 2'",
        "vllm serve org/m -tp 2\r\n",
        "vllm serve org/m \\\r\n  -tp 2\r\n",
        '["vllm", "serve", "org/m", "-tp", "2"]',
    ],
)
def test_forms_of_one_command(text: str) -> None:
    done = read_text(text)
    assert done.tokens == [*SERVE, "-tp", "2"]
    assert done.findings == []


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("vllm serve org/m > log.txt 2>&1 &", ["> log.txt", "2>&1"]),
        ("vllm serve org/m 2>&1 | tee log", ["2>&1", "tee log"]),
        ("vllm serve org/m &>> log", ["&>> log"]),
        ("cd /x && vllm serve org/m", ["cd /x"]),
        ("pip install vllm; vllm serve org/m", ["pip install vllm"]),
        ("vllm serve org/m < /dev/null", ["< /dev/null"]),
    ],
)
def test_what_is_for_the_shell_is_cut_off_and_told(text: str, cut: list[str]) -> None:
    done = read_text(text)
    assert done.tokens == SERVE
    assert set(codes(done)) == {"cut-off"}
    assert sorted(item.subject for item in done.findings) == sorted(cut)


def test_variables_in_front_are_the_containers() -> None:
    done = read_text(
        "export HF_HOME=/x B='1 2'\nVLLM_USE_V1=1 CUDA_VISIBLE_DEVICES=0,1 vllm serve org/m"
    )
    assert (done.tokens, done.env) == (
        SERVE,
        {"HF_HOME": "/x", "B": "1 2", "VLLM_USE_V1": "1", "CUDA_VISIBLE_DEVICES": "0,1"},
    )


def test_a_variable_of_the_shell_is_used_but_not_passed_on() -> None:
    done = read_text("MODEL=org/m\nvllm serve $MODEL")
    assert (done.tokens, done.env) == (SERVE, {})
    assert codes(done) == ["cut-off"]


def test_unknown_shell_variables_are_errors_that_name_them() -> None:
    done = read_text('vllm serve "$MODEL" --port ${PORT} --x ~/t')
    assert [(item.code, item.subject) for item in done.findings] == [
        ("shell-variable", "$MODEL"),
        ("shell-variable", "$PORT"),
        ("shell-variable", "$HOME"),
    ]
    assert read_text("vllm serve $MODEL --x '$MODEL'", Context({"MODEL": "a b"})).tokens == [
        "vllm",
        "serve",
        "a",
        "b",
        "--x",
        "$MODEL",
    ]
    assert read_text('vllm serve "$MODEL"', Context({"MODEL": "a b"})).tokens == [
        "vllm",
        "serve",
        "a b",
    ]
    assert read_text("vllm serve ${MODEL:-org/m}").tokens == SERVE


@pytest.mark.parametrize(
    ("text", "known", "tokens"),
    [
        ("${M:-$D}", {"D": "org/m"}, ["org/m"]),
        ("${M:-${D}}", {"D": "org/m"}, ["org/m"]),
        ("${M:-${D:-org/m}}", {}, ["org/m"]),
        ("${M:-${D:-${E:-org/m}}}", {"D": ""}, ["org/m"]),
        ("${M-${D-org/m}}", {"D": ""}, []),
        ("${M:=org/m}", {"M": ""}, ["org/m"]),
        ('"${M-${D-org/m}}"', {"D": ""}, [""]),
        ("${M:?set M-NAME first}", {"M": "org/m"}, ["org/m"]),
        ("${M?}", {"M": "org/m"}, ["org/m"]),
        ("m ${M:+--seed 1}", {"M": "x"}, ["m", "--seed", "1"]),
        ("m ${M:+--seed 1}", {"M": ""}, ["m"]),
        ("m${M+x}", {"M": ""}, ["mx"]),
        ("${M:-a b}", {}, ["a", "b"]),
        ("x${M:- a}", {}, ["x", "a"]),
        ("${M:-'a b' \"c d\" e\\ f}", {}, ["a b", "c d", "e f"]),
        ('"${M:-a \'b\' "c" \\d \\$e \\}}"', {}, ["a 'b' c \\d $e }"]),
        ("${M:-'}'}}", {}, ["}}"]),
        ('${M:-"}$D"}', {"D": "a b"}, ["}a b"]),
        ("${M:-{a,b}}", {}, ["{a,b}"]),
        ("${M:-a;>x}", {}, ["a;>x"]),
        ("${M:-a-b:?c}", {}, ["a-b:?c"]),
    ],
)
def test_a_default_is_read_as_a_shell_reads_it(
    text: str, known: dict[str, str], tokens: list[str]
) -> None:
    done = read_text(f"vllm serve {text}", Context(known))
    assert (done.tokens, done.findings) == (["vllm", "serve", *tokens], [])
    ran = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\0' x {text}"],
        capture_output=True,
        check=True,
        env={**known},
    )
    assert ran.stdout.decode().split("\0")[1:-1] == tokens


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("${M:-$D}", ["$D"]),
        ("${M:-${D}}", ["$D"]),
        ("${M:-${D:?no D}}", ["$D"]),
        ("${M:?set M}", ["$M"]),
        ("${M:+x}", ["$M"]),
        ("${M:-~/x}", ["$HOME"]),
        ("${M:-${D%x}}", ["${D%x}"]),
        ("${M:-$(cat d)}", ["$(cat d)"]),
        ("${M:-${D}", ["${"]),
        ("${M:-" * 30 + "x" + "}" * 30, ["${M:-" * 10 + "x" + "}" * 10]),
    ],
)
def test_what_a_default_refers_to_is_never_its_text(text: str, subjects: list[str]) -> None:
    """`$D` was served as a model of that name."""
    done = read_text(f"vllm serve {text}")
    assert [item.subject for item in done.findings] == subjects
    assert {item.code for item in done.findings} <= {"shell-variable", "shell-syntax"}


@pytest.mark.parametrize(
    "text", ["${M:-$D}", "${M:-${D}}", "${M:?set M}", "${M:+x}", "${M:-$(cat d)}"]
)
def test_a_variable_with_such_a_default_is_left_out(text: str) -> None:
    done = read_text(f'DTYPE="{text}" vllm serve m')
    assert (done.env, codes(done)) == ({}, ["unresolved-value"])


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve $(cat m)",
        "vllm serve `cat m`",
        "vllm serve 'org/m",
        'vllm serve "org/m',
        "vllm serve m --x {a,b}",
        "vllm serve ${X%y}",
        "vllm serve m <<EOF\nx\nEOF",
    ],
)
def test_what_needs_a_shell_is_an_error(text: str) -> None:
    assert {"shell-syntax", "shell-variable"} & set(codes(read_text(text)))


def test_docker_run() -> None:
    done = read_text(
        "docker run --runtime nvidia --gpus all -it --rm -d -v"
        " ~/.cache/huggingface:/root/.cache/huggingface --env HF_TOKEN=hf_x -eA=1 -e UNKNOWN"
        " -p8000:8000 --ipc=host --env SECRET=$SECRET --name x vllm/vllm-openai:v0.11.2 --model"
        " org/m"
    )
    assert done.tokens == ["vllm", "serve", "--model", "org/m"]
    assert (done.env, done.vllm, done.contained) == ({"HF_TOKEN": "hf_x", "A": "1"}, "0.11.2", True)
    assert sorted(codes(done)) == ["image-version", "unresolved-value", "unresolved-value"]


def test_docker_runs_the_module_in_old_images_and_what_it_is_told_to() -> None:
    module = ["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "org/m"]
    assert read_text("docker run vllm/vllm-openai:v0.8.5 --model org/m").tokens == module
    assert read_text("docker run vllm/vllm-openai:v0.8.5 org/m").tokens == SERVE
    assert (
        read_text("docker run --entrypoint vllm vllm/vllm-openai:v0.8.5 serve org/m").tokens
        == SERVE
    )
    assert read_text("docker run --entrypoint=bash img -c 'vllm serve org/m'").tokens == SERVE
    assert read_text("podman run -it my/image:1 vllm serve org/m").tokens == SERVE
    assert read_text("docker exec -it name vllm serve org/m").tokens == SERVE
    assert codes(read_text("docker build .")) == ["not-vllm-serve"]
    assert codes(read_text("docker run --rm")) == ["not-vllm-serve"]
    for text in ("docker container", "docker run -=x"):  # both were an IndexError
        assert codes(read_text(text)) == ["not-vllm-serve"]
        assert read_text(text).findings[0].message


KUBERNETES = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: vllm}
spec:
  template:
    spec:
      initContainers:
      - {name: fetch, image: busybox, command: [sh, -c, "true"]}
      containers:
      - name: server
        image: vllm/vllm-openai:v0.19.1
        env:
        - name: HF_TOKEN
          valueFrom: {secretKeyRef: {name: a, key: b}}
        - {name: PORT_, value: "8000"}
        command: ["/bin/sh", "-c"]
        args: ["exec vllm serve org/m --port $(PORT_) --x $$(PORT_)"]
---
apiVersion: v1
kind: Service
"""


def test_a_kubernetes_manifest() -> None:
    done = read_text(KUBERNETES.replace(" --x $$(PORT_)", ""))
    assert done.tokens == [*SERVE, "--port", "8000"]
    assert (done.env, done.vllm) == ({"PORT_": "8000"}, "0.19.1")
    assert "shell-syntax" in codes(
        read_text(KUBERNETES)
    )  # the shell would run a program called PORT_


def test_a_container_and_bare_arguments() -> None:
    assert read_text("args:\n- --model\n- org/m\n- --port=80\n").tokens == [
        "vllm",
        "serve",
        "--model",
        "org/m",
        "--port=80",
    ]
    assert read_text("- --model\n- org/m\n").tokens == ["vllm", "serve", "--model", "org/m"]
    assert read_text("command: [vllm, serve]\nargs: [org/m]\n").tokens == SERVE
    assert codes(read_text("command: vllm serve org/m\n")) == ["bad-manifest"]
    assert codes(read_text("args: [--port, '80', {a: b}]\n")) == ["bad-manifest"]
    assert codes(read_text("env: [{name: A, value: 1}]\nargs: [x]\n")) == ["bad-manifest"]


def test_compose() -> None:
    text = (
        'services:\n  s:\n    image: vllm/vllm-openai:${TAG:-v0.12.0}\n    command: --model "org/m"'
        ' --x $$y --z ${Z}\n    environment: {A: 1, B: null, C: "${C:-3}"}\n'
    )
    done = read_text(text, Context({"Z": "z", "B": "b"}))
    assert done.tokens == ["vllm", "serve", "--model", "org/m", "--x", "$y", "--z", "z"]
    assert (done.env, done.vllm) == ({"A": "1", "B": "b", "C": "3"}, "0.12.0")
    assert "shell-variable" in codes(read_text(text))


@pytest.mark.parametrize(
    ("text", "known", "token"),
    [
        ("${M:?set M-NAME first}", {"M": "org/m"}, "org/m"),
        ("${M?set it}", {"M": "org/m"}, "org/m"),
        ("${M:-$D}", {"D": "org/m"}, "org/m"),
        ("a${M:-${D:-b}c}d", {}, "abcd"),
        ("${M:+x}", {"M": "1"}, "x"),
        ("m${M:+x}", {"M": ""}, "m"),
        ("m${M-x}", {"M": ""}, "m"),
        ("${M:-a-b}", {}, "a-b"),
        ('${M:-{"a":1}}', {}, '{"a":1}'),
        ("$${M}$$M", {}, "${M}$M"),
    ],
)
def test_references_of_compose(text: str, known: dict[str, str], token: str) -> None:
    """`${MODEL:?set MODEL-NAME first}` was "NAME first", although MODEL was set."""
    done = read_text(
        "services:\n  s:\n    image: vllm/vllm-openai:v0.12.0\n    command: ['" + text + "']\n",
        Context(known),
    )
    assert (done.tokens, codes(done)) == (["vllm", "serve", token], ["image-version"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("${M:?set it}", "shell-variable"), ("${M:-$D}", "shell-variable"), ("${M:-${D}}", "shell-variable"), ("${M:+x}", "shell-variable"),
        ("${M%hf_Pa55}", "shell-syntax"), ("${M", "shell-syntax"), ("${}", "shell-syntax"), ("${M:-" * 30 + "}" * 30, "shell-syntax"),
    ],
)  # fmt: skip
def test_what_compose_does_not_know_is_told(text: str, code: str) -> None:
    done = read_text(
        "services:\n  s:\n    image: vllm/vllm-openai:v0.12.0\n    command: ['" + text + "']\n"
    )
    assert [item.code for item in done.findings if item.code != "image-version"] == [code]
    assert "hf_Pa55" not in done.findings[0].line()


def test_several_containers() -> None:
    text = (
        "services:\n  a: {image: 'vllm/vllm-openai:v0.12.0', command: a}\n  b: {image:"
        " 'vllm/vllm-openai:v0.12.0', command: b}\n  c: {image: redis}\n"
    )
    done = read_text(text)
    assert done.tokens == ["vllm", "serve", "a"]
    assert "cut-off" in codes(done)


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", "#only", "a: [", "&a [*a]", "services: 1", "services: {a: 1}", "containers: 3", "spec: {containers: [1, null, {env: 3}]}", "args: {}", "[",
        "[1]", '["a", 1]', "- - x", "x: &x {y: *x}", "\\", "'", "$", "${", "`", "<<<", "((", "args:\n" + "- " * 500 + "x", ":|<", "vllm serve m|>f",
    ],
)  # fmt: skip
def test_nothing_pasted_crashes_it(text: str) -> None:
    read_text(text)
    read_text(text.replace(" ", "\t"))


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "A=" + "x" * 40 * size, lambda size: 'A="' + "x" * 40 * size + '"', lambda size: "{," * 3 * size,
        lambda size: "sudo " * size + "vllm serve m", lambda size: "A=1 " * size + "vllm serve m",
        lambda size: "${A:-" * size + "'x'" * size + "}" * size, lambda size: "${A:-x}" * size,
    ],
    ids=["a word", "quoted", "braces", "programs in front", "assignments", "defaults in defaults", "defaults"],
)  # fmt: skip
def test_a_long_text_takes_time_in_proportion(text: Callable[[int], str]) -> None:
    """Each took 5 s and more: characters compared with every operator, lines counted anew for each
    finding, tokens copied for each program in front.
    """
    grown = growth(text, read_text, start=500, most=1 << 14)
    assert grown.ratio < RATIO, grown


@given(st.text(alphabet="ab '\"\\$({})\n\t#`&|;<>=:-~[],*!x", max_size=40) | st.text(max_size=30))
def test_no_text_crashes_it(text: str) -> None:
    read_text(text)


@given(st.lists(st.text(alphabet="ab '\"\\\n\t#;=-", max_size=8), min_size=1, max_size=4))
def test_words_are_split_as_bash_splits_them(parts: list[str]) -> None:
    text = " ".join(parts)
    checked = subprocess.run(
        ["bash", "--norc", "-n", "-c", f"printf x {text}"], capture_output=True, check=False
    )
    commands = split(f"printf '%s\\0' {text}")
    if (
        checked.returncode
        or checked.stderr
        or not commands
        or len(commands) > 1
        or commands[0].told
        or "\\\n" in text
        or "\\ " in text
        or text.endswith("\\")
        or "\\\t" in text
    ):
        return
    out = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\0' {text}"], capture_output=True, check=False
    ).stdout
    wanted = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
    assert (list(commands[0][2:]) or [""]) == wanted


def test_tokens_of_the_process_are_not_split_again() -> None:
    assert read_tokens(["A=$x", "vllm", "serve", "$y z"]).tokens == ["vllm", "serve", "$y z"]
    assert read_tokens(["A=$x", "vllm", "serve", "m"]).env == {"A": "$x"}
    assert holes(["a"]) == []


SECRET = "hf_Pa55word0123"


@pytest.mark.parametrize(
    "text",
    [
        f"huggingface-cli login --token {SECRET} && vllm serve m",
        f"HF_TOKEN={SECRET}\nvllm serve m",
        f"vllm serve m --api-key '{SECRET}",
        f'vllm serve m --api-key "{SECRET}',
        f"vllm serve m --kv-transfer-config {{password:{SECRET},a:b}}",
        f"docker run -e HF_TOKEN={SECRET}$X vllm/vllm-openai m",
        f"env: [{{name: HF_TOKEN, value: 1{SECRET}: x}}]\nargs: [m]",
        f"vllm serve m | curl -H 'Authorization: {SECRET}'",
        f"login {SECRET}; other {SECRET}",
        f"python {SECRET} {SECRET}",
    ],
)
def test_no_secret_is_in_a_finding(text: str) -> None:
    for item in secrets_of().finished(read_text(text).findings):
        assert SECRET not in item.line(), item


@pytest.mark.parametrize(
    "text", ["vllm serve m | ${A", "vllm serve m |", "vllm serve m | 'tee", "vllm serve m | > log"]
)
def test_a_pipe_into_what_is_no_command(text: str) -> None:
    """Nothing that could be named stands behind it: an unclosed quote, a redirection, the end."""
    done = read_text(text)
    assert done.tokens == ["vllm", "serve", "m"]
    assert "`|` is not part of the command and was left out." in [
        item.message for item in done.findings
    ]


@pytest.mark.parametrize(
    "text", ["/opt/x y", "x y", " m ", "A=b c", "models: a b", "\u00e9 x", "vllm", "a 'b"]
)
def test_one_token_behind_the_dashes_stays_one(text: str) -> None:
    assert read_behind([text]).tokens == ([] if "=" in text else [text])


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve org/m", "/usr/bin/vllm serve org/m", "serve org/m", "$ vllm serve org/m", "# so\nvllm serve org/m", "A=b vllm serve org/m",
        "cd /x && vllm serve org/m", "nohup vllm serve org/m", "sh -c 'vllm serve org/m'", '["vllm","serve","org/m"]', "- org/m\n- --seed=1",
        'image: x\nargs: [vllm, serve, org/m]', '{"image": "x", "args": ["vllm", "serve", "org/m"]}', "--model org/m",
        "python3 -m vllm.entrypoints.x --model org/m",
    ],
)  # fmt: skip
def test_one_text_behind_the_dashes_is_a_command_line(text: str) -> None:
    done = read_behind([text])
    assert len(done.tokens) > 1
    assert any("org/m" in token for token in done.tokens)


@pytest.mark.parametrize("text", ["curl -H x https://host", "wget -q a; reboot"])
def test_another_programs_line_is_no_model(text: str) -> None:
    """Behind `--`, too: what is there besides a path that holds blanks is split, and told."""
    assert read_behind([text]).tokens != [text]
    assert read_behind(["/opt/x y"]).tokens == ["/opt/x y"]
