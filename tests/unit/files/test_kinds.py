"""Files of every kind: the commands in them, and their lines."""

from __future__ import annotations

import pytest

from translator.files.command import Command, Context
from translator.files.registry import read_commands, read_text
from translator.text.json_text import YamlError
from translator.text.placed import place


def read(name: str, text: str) -> list[Command]:
    return [item for item in read_commands(text, Context(), name) if item.starts_vllm]


def lines(name: str, text: str) -> list[tuple[int, list[str]]]:
    return [(item.place[1], item.tokens) for item in read(name, text)]


MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            'ARG V=v0.8.3\nFROM vllm/vllm-openai:${V}\nCMD ["--model", "$M"]\n',
            [(3, [*MODULE, "--model", "$M"])],
        ),
        (
            "FROM x AS base\nENV M=org/m \\\n  P=80\nENTRYPOINT no\nFROM base\n"
            'ENTRYPOINT exec vllm serve $M --port ${P} ${R:+"--x"}\nCMD ["ignored"]\n',
            [(6, ["vllm", "serve", "org/m", "--port", "80", "$R"])],
        ),
        ('FROM x\nENTRYPOINT ["vllm", "serve"]\nCMD ["m", "--seed", "1"]\n', [(3, ["vllm", "serve", "m", "--seed", "1"])]),
        ("FROM x\nRUN <<EOF\nCMD vllm serve no\nEOF\n# CMD vllm serve no\nCMD echo\n", []),
        ("FROM x\nCMD vllm serve m\nRUN a && \\\n  tee b <<'END-1'\nCMD vllm serve no\nEND-1\n", [(2, ["vllm", "serve", "m"])]),
        ("FROM x\nRUN echo $((1<<2)); cat <<< a\nCMD vllm serve m\n", [(3, ["vllm", "serve", "m"])]),
        ("FROM x\nCMD vllm serve m \\\n  --seed 1 \\", [(2, ["vllm", "serve", "m", "--seed", "1"])]),
        ("FROM vllm/vllm-openai\nRUN pip install x\n", []),
        ("FROM x\nENV M a b\nCMD vllm serve \"$M\"\n", [(3, ["vllm", "serve", "a b"])]),
        # An empty entrypoint takes that of the image away.
        ('FROM vllm/vllm-openai:v0.19.1\nENTRYPOINT []\nCMD ["supervisord", "-n", "-c", "/x"]\n', []),
        ('FROM vllm/vllm-openai:v0.19.1\nENTRYPOINT []\nCMD ["vllm", "serve", "m"]\n', [(3, ["vllm", "serve", "m"])]),
    ],
)  # fmt: skip
def test_a_dockerfile(text: str, wanted: list[tuple[int, list[str]]]) -> None:
    assert lines("Dockerfile", text) == wanted


def test_a_unit_of_systemd() -> None:
    unit = (
        '[Unit]\nDescription=x\n[Service]\nEnvironment="A=/x y" M=org/m\n'
        'Environment="OPTS=--seed 1"\nExecStartPre=/bin/true\n# c\n'
        "ExecStart=-/opt/bin/vllm serve ${M} \\\n  $OPTS --x ${OPTS} --port $P --y $$z\n"
    )
    made = read("vllm.service", unit)
    assert [(item.place[1], item.tokens) for item in made] == [
        (8, ["/opt/bin/vllm", "serve", "org/m", "--seed", "1", "--x", "--seed 1", "--port", "$P", "--y", "$z"])
    ]  # fmt: skip
    assert made[0].env == {"A": "/x y", "M": "org/m", "OPTS": "--seed 1"}
    assert lines("x.service", "[Service]\nExecStart=/bin/sh -c 'exec vllm serve m'\n") == [
        (2, ["vllm", "serve", "m"])
    ]
    assert lines("x.service", "[Service]\nExecStart=/usr/sbin/nginx\n") == []


def test_the_version_and_the_variables_of_an_image_that_another_program_starts() -> None:
    for line in (
        "apptainer run -B /a:/b --env HF_HOME=/x vllm-openai_v0.8.3.sif --model m",
        "kubectl run v --env=HF_HOME=/x --image=vllm/vllm-openai:v0.8.3 -- --model m",
    ):
        (made,) = read("x.sh", line)
        assert (made.vllm, made.env, made.contained) == ("0.8.3", {"HF_HOME": "/x"}, True)
        assert made.tokens[-2:] == ["--model", "m"]


@pytest.mark.parametrize(
    ("between", "wanted"),
    [
        ("  # --enforce-eager \\\n", [(3, 3)]),
        ("  #\n", [(3, 3)]),
        ("", []),
        ("  --enforce-eager # why\n", []),  # as if the backslash were lost
    ],
)
def test_a_comment_between_the_lines_of_a_command(
    between: str, wanted: list[tuple[int, int]]
) -> None:
    """The shell runs what follows it as another command."""
    (made,) = read("x.sh", f"vllm serve m \\\n{between}  --port 80\n")
    assert made.tokens[-2:] == ["--port", "80"]
    told = [item for item in made.findings if item.code == "comment-in-command"]
    assert [place(item.subject) for item in told] == [("", *at) for at in wanted]
    last = f"vllm serve m \\\n  --port 80 \\\n{between}vllm serve n\n"
    assert not any(
        item.code == "comment-in-command" for it in read("x.sh", last) for item in it.findings
    )


def test_the_program_of_another_image_is_not_vllms_server() -> None:
    text = "```bash\ndocker run mine:1 {} --served-model-name m\n```\n"
    assert lines("x.md", text.format("trtllm-serve")) == []
    assert lines("x.md", text.format("org/m")) != []


_UNIT = "[Service]\nExecStart=/usr/bin/docker run {image} --model m {end}\n  --port {port}\n"
_POD = "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.19.0\n    args: [--model, $M]\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # As a machine's first start writes them; without quotes, the shell replaces variables.
        ("P=80\nI=vllm/vllm-openai:v0.9.0\ncat > /x/vllm.service << EOF\n" + _UNIT.format(image="$I", end="\\\\", port="$P") + "EOF\n", [(5, ["--model", "m", "--port", "80"])]),
        ("P=80\ncat <<'EOF' | sudo tee /x/vllm.service >/dev/null\n" + _UNIT.format(image="vllm/vllm-openai:v0.19.0", end="\\", port="$P") + "EOF\n", [(4, ["--model", "m", "--port", "$P"])]),
        ("M=m\nkubectl apply -f - <<EOF\n" + _POD + "EOF\nvllm serve n\n", [(9, ["n"]), (7, ["--model", "m"])]),
        ("cat > run <<'E'\n#!/bin/bash\ncat > x.sh <<F\nvllm serve \\$1\nF\nE\nbash run\n", [(4, ["$1"])]),
        # Texts for people and for other programs, and what is no whole file.
        ("cat <<E\nvllm serve no\nE\nvllm serve m\n", [(4, ["m"])]),
        ("cat > x.py <<E\nvllm serve no\nE\ncat > r.md <<E\n```\nvllm serve no\n```\nE\nvllm serve m\n", [(9, ["m"])]),
        ("cat > x.yaml <<E\nkind: {\n  vllm\nE\ncat > x.conf <<E\nvllm_port=1\nE\nvllm serve m\n", [(8, ["m"])]),
    ],
)  # fmt: skip
def test_the_files_that_a_script_writes(text: str, wanted: list[tuple[int, list[str]]]) -> None:
    made = [(line, tokens[3 if "-m" in tokens else 2 :]) for line, tokens in lines("x.sh", text)]
    assert made == wanted


def test_a_document_pipes_a_manifest_into_kubectl() -> None:
    text = f"```bash\ncat <<EOF | kubectl apply -f -\n{_POD}EOF\n```\n"
    assert lines("x.md", text) == [(7, ["vllm", "serve", "--model", "$M"])]


def test_scripts_that_write_each_other_have_an_end() -> None:
    text = "vllm serve m\n"
    for number in range(40):
        text = f"cat > {number}.sh <<E{number}\n{text}E{number}\n"
    assert lines("x.sh", text) == [(1, ["cat"])]


def test_the_code_blocks_of_a_document() -> None:
    text = (
        "# vllm serve no\n```bash\n$ vllm serve <your model> --seed 1\n```\n- so:\n"
        "  ```yaml\n  services:\n    a: {image: 'vllm/vllm-openai:v0.19.1', command: --model m}\n"
        "  ```\n```python\nvllm serve no\n```\n~~~\npip install vllm\n~~~\n"
    )
    assert lines("x.md", text) == [
        (3, ["vllm", "serve", "$your_model", "--seed", "1"]),
        (8, ["vllm", "serve", "--model", "m"]),
    ]
    rst = "Title\n\n.. code-block:: console\n\n   $ vllm serve m \\\n       --seed 1\n\nText\n"
    assert lines("x.rst", rst) == [(5, ["vllm", "serve", "m", "--seed", "1"])]
    assert lines("x.md", "vllm serve no\n") == []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("resources: {accelerators: L4}\nenvs: {M: org/m}\nrun: |\n  vllm serve $M --tp $N\n", ["vllm", "serve", "org/m", "--tp", "$N"]),
        ("type: service\nenv:\n  - HF_TOKEN\n  - M=m\ncommands:\n  - cd /x\n  - vllm serve $M\n", ["vllm", "serve", "m"]),
        ("docker_server:\n  start_command: vllm serve m --seed 1\n", ["vllm", "serve", "m", "--seed", "1"]),
        ("on: push\nenv: {M: m}\njobs:\n  a:\n    steps:\n    - run: vllm serve $M --port ${{ inputs.port }} &\n", ["vllm", "serve", "m", "--port", "$inputs_port"]),
        ("env:\n- M=${{ inputs.model }}\n- E=\nrun: vllm serve $M --seed 1$E\n", ["vllm", "serve", "$inputs_model", "--seed", "1"]),
        ("steps:\n- label: x\n  command: [vllm, serve, m]\n", ["vllm", "serve", "m"]),
        ("vllm:\n  command: [/bin/sh, -c]\n  args: [vllm serve m --seed 1]\n", ["vllm", "serve", "m", "--seed", "1"]),
        ("kind: ConfigMap\ndata:\n  start.sh: |\n    #!/bin/sh\n    vllm serve m\n  x.txt: vllm serve no\n", ["vllm", "serve", "m"]),
    ],
)  # fmt: skip
def test_scripts_in_yaml(text: str, tokens: list[str]) -> None:
    assert [item.tokens for item in read("x.yaml", text)] == [tokens]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # An apptainer's `exec` is no shell's.
        ("apptainer exec --nv img.sif vllm serve m\n", [["m"]]),
        ("exec singularity exec --bind a:b --env A=1 \"$SIF\" \\\n  vllm serve m --seed 1\n", [["m", "--seed", "1"]]),
        # An entrypoint that ends with `exec "$@"`.
        ("/entrypoint.sh vllm serve m\n", [["m"]]),
        # A value that is not known stays one value in the text of another shell, quotes and all.
        ("P=$1\nG=$(awk '{print \"%.2f\"}' /proc/x)\ndocker run img bash -c \"vllm serve m --port '$P' --swap-space '$G' --seed $S\"\n", [["m", "--port", "$1", "--swap-space", "$(awk '{print \"%.2f\"}' /proc/x)", "--seed", "$S"]]),
        # Of associative arrays, nothing is known.
        ("declare -A M=([a]=org/x)\nfor k in \"${!M[@]}\"; do\n  vllm serve \"${M[$k]}\" --seed \"${#M[@]}\"\ndone\n", [["${M[$k]}", "--seed", "${#M[@]}"]]),
        ("python3 -m vllm.entrypoints.cli.main bench serve --model no\nvllm serve m\n", [["m"]]),
        # What starts nothing by itself: without a variable that must be set, with other arguments, in functions for other scripts.
        ("[[ -z \"${KEY:-}\" ]] && exit 1\nif [ -z \"${M:-}\" ]; then\n  echo no; exit 2\nfi\nvllm serve \"$M\"\n", [["$M"]]),
        ("case \"${1:-help}\" in\n  start) vllm serve m --seed 1 ;;\n  help) echo usage ;;\nesac\n", [["m", "--seed", "1"]]),
        ("_launch() {\n  local a=(--model \"$1\")\n  vllm serve \"${a[@]}\"\n}\nstop() { pkill -f 'vllm serve'; }\ncase \"${1:-}\" in\n  stop) stop ;;\n  *) echo usage ;;\nesac\n", [["--model", "$1"]]),
        # Other programs that start an image; apptainer names the file of one after it.
        ("kubectl run a --image=vllm/vllm-openai:v0.19.0 --env=A=b -- --model m\nkubectl run c --rm --image=curl -- curl http://vllm:80/health\n", [["--model", "m"]]),
        ("oc run a -n x --image vllm/vllm-openai:v0.19.0 --command -- vllm serve m\nkubectl exec v -- pip show vllm\n", [["m"]]),
        ("S=/x/vllm-openai_v0.19.0.sif\nsrun singularity exec --nv $S ray start --block &\nsingularity run --nv --bind /a:/b $S \\\n  --model m --tensor-parallel-size $((N * G))\n", [["--model", "m", "--tensor-parallel-size", "$((N * G))"]]),
        ("apptainer run --env=A=b docker://vllm/vllm-openai:v0.19.0 --model m\n", [["--model", "m"]]),
        # Other programs: images that are only named, what a comment cuts off, another server.
        ("docker run mirror -m=hub -clean=true org/llm:vllm vllm/vllm-openai\nvllm serve m\n", [["m"]]),
        ("docker run -it --gpus all \\\n  # --rm \\\n  --runtime=nvidia --entrypoint bash vllm/vllm-openai\nvllm serve m\n", [["m"]]),
        # A server that is started where none answers.
        ("docker start x || docker run vllm/vllm-openai:v0.19.1 --model m\ndocker run -e VLLM_URL=x proxy:1\n", [["--model", "m"]]),
        ("pgrep -f vllm >/dev/null || vllm serve m &\n", [["m"]]),
        # What an image starts is not known by its name.
        ("docker run -e VLLM_URL=x vllm-proxy:1\nvllm serve m\n", [["m"]]),
        ("docker run -v ~/.cache/vllm:/x proxy:1 --upstream y\nvllm serve m\n", [["m"]]),
        ("docker run -v ~/.cache/vllm:/x mine:1 --model m --max-model-len 9\n", [["--model", "m", "--max-model-len", "9"]]),
        ("docker run --entrypoint '' vllm/vllm-openai:v0.19.1 vllm serve m\n", [["m"]]),
        # Another program only mentions it.
        ("srun bash -c \"accelerate launch --x train.py --vllm_host h\"\nvllm serve m\n", [["m"]]),
        # What a script writes is no manifest.
        ("#!/bin/sh\ncat > x.yaml <<EOF\napiVersion: v1\nkind: {\nEOF\nvllm serve m\n", [["m"]]),
    ],
)  # fmt: skip
def test_what_a_script_starts(text: str, wanted: list[list[str]]) -> None:
    assert [item.tokens[2:] for item in read("x.sh", text)] == wanted


def test_a_script_without_a_name_is_told_by_its_first_line() -> None:
    text = "#!/usr/bin/env bash\ncat <<EOF\nkind: {\nEOF\nvllm serve m\n"
    assert [item.tokens for item in read("", text)] == [["vllm", "serve", "m"]]


@pytest.mark.parametrize("entrypoint", ["[]", '""'])
def test_an_empty_entrypoint_of_a_service(entrypoint: str) -> None:
    image = "services:\n  a:\n    image: vllm/vllm-openai:v0.19.1\n"
    (made,) = read("x.yaml", f"{image}    entrypoint: {entrypoint}\n    command: vllm serve m\n")
    assert made.tokens == ["vllm", "serve", "m"]
    assert [item.code for item in made.findings] == ["image-version"]
    (kept,) = read("x.yaml", f"{image}    entrypoint:\n    command: --model m\n")
    assert kept.tokens == ["vllm", "serve", "--model", "m"]


def test_an_image_that_gets_nothing_is_not_known_by_its_name() -> None:
    pod = "kind: Pod\nspec: {containers: [{name: a, image: x/mock-vllm:1%s}]}\n"
    assert read("x.yaml", pod % "") == []
    assert len(read("x.yaml", pod % ", args: [--model, m]")) == 1


def test_variables_of_a_config_map_elsewhere_may_be_anything() -> None:
    pod = (
        "kind: Pod\nspec: {containers: [{name: a, image: vllm/vllm-openai:v0.19.1, %s"
        'args: ["--model=m", "--seed=$(S)"]}]}\n'
    )
    (made,) = read("x.yaml", pod % "envFrom: [{configMapRef: {name: c}}], ")
    assert list(made.unknown) == ["$(S)"]
    (unset,) = read("x.yaml", pod % "")
    assert (unset.tokens, unset.unknown) == (made.tokens, {})


def test_yaml_without_vllm_is_no_script() -> None:
    assert read("x.yaml", "a: vllm serve\nb: c\n") == []
    with pytest.raises(YamlError):
        read("x.yaml", "services: [\n")


GOOD = "services:\n  a: {image: 'vllm/vllm-openai:v0.19.1', command: --model m --seed x}\n"


def test_one_bad_document_hides_no_other() -> None:
    made = read("x.yaml", f"a: [ vllm\n---\n{GOOD}---\nvllm: {{{{ .Values.a }}}}\n")
    assert [(item.place[1], [found.code for found in item.findings]) for item in made] == [
        (4, ["image-version"]),
        (1, ["bad-manifest"]),
        (5, ["unreadable-file"]),
    ]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("Makefile", "run:\n\tvllm serve m\n", "Makefile"),
        ("justfile", "run:\n    vllm serve m\n", "justfile"),
        ("main.tf", 'image = "vllm/vllm-openai"\n', ".tf"),
        ("x.conf", "[supervisord]\n[program:a]\ncommand=vllm serve m\n", "[program:"),
        ("", "[Unit]\n[Container]\nImage=vllm/vllm-openai\nExec=--model m\n", "[Container]"),
        ("x.yaml", "apiVersion: kubeai.org/v1\nkind: Model\nspec: {engine: VLLM, url: 'hf://a/b'}\n", "kubeai.org"),
        ("x.yaml", "apiVersion: ome.io/v1beta1\nkind: ServingRuntime\nspec: {containers: [{image: vllm/vllm-openai, args: [--model, m]}]}\n", "ome.io"),
        ("x.yaml", "services: {a: {image: vllm/vllm-openai, args: [--x]}}\nprofiles: {}\ndeployment: {}\n", "Akash"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_a_note_once(name: str, text: str, kind: str) -> None:
    (made,) = read(name, text)
    assert [(item.code, item.subject, item.severity) for item in made.findings] == [
        ("unreadable-file", kind, "info")
    ]
    assert read(name, text.replace("vllm", "nginx").replace("VLLM", "OLlama")) == []
    (told,) = read_text(text, Context(), name).findings
    assert (told.code, told.severity) == ("unreadable-file", "error")  # there is nothing to write


CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {MODEL: org/m, PORT: "8000"}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: a
    image: vllm/vllm-openai:v0.19.1
    args: [--model=$(MODEL), --port=$(P), --seed=$(S)]
    envFrom: [{configMapRef: {name: c}}, {secretRef: {name: s}}]
    env:
    - {name: P, valueFrom: {configMapKeyRef: {name: c, key: PORT}}}
    - {name: S, valueFrom: {configMapKeyRef: {name: other, key: PORT}}}
"""


def test_the_config_maps_of_the_same_file() -> None:
    (made,) = read("x.yaml", CONFIG_MAP)
    assert made.tokens[2:] == ["--model=org/m", "--port=8000", "--seed=$(S)"]
    assert made.env == {"MODEL": "org/m", "PORT": "8000", "P": "8000"}
    assert [item.subject for item in made.findings] == ["S", "envFrom", "vllm/vllm-openai:v0.19.1"]


KSERVE = """apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: r}
spec:
  containers:
  - name: kserve-container
    image: vllm/vllm-openai:v0.19.1
    args: [--model=/mnt/models, "--served-model-name={{.Name}}"]
    env: [{name: A, value: "1"}, {name: B, value: "1"}]
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: i}
spec:
  predictor:
    model:
      modelFormat: {name: vLLM}
      runtime: r
      args: [--max-model-len=8000]
      env: [{name: B, value: "2"}]
"""


def test_a_service_of_kserve_and_its_runtime() -> None:
    (made,) = read("x.yaml", KSERVE)
    assert made.name == "InferenceService/i: kserve-container"
    assert made.tokens[2:] == [
        "--model=/mnt/models",
        "--served-model-name={{.Name}}",
        "--max-model-len=8000",
    ]
    assert made.env == {"A": "1", "B": "2"}
    runtime, alone = read("x.yaml", KSERVE.replace("runtime: r", "runtime: q"))
    assert runtime.name == "ServingRuntime/r: kserve-container"
    assert (alone.name, alone.tokens[3:]) == (
        "InferenceService/i",
        ["--model=/mnt/models", "--max-model-len=8000"],
    )
    other = KSERVE.replace("runtime: r", "runtime: q").replace("name: vLLM", "name: huggingface")
    assert len(read("x.yaml", other)) == 1


SKY = "resources: {%s}\nsetup: |\n  %s\nrun: |\n  vllm serve m\n"


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("x.sh", "pip install -U 'vllm[audio]==0.6.2' ray\nvllm serve m\n", "0.6.2"),
        ("x.sh", "uv pip install vllm==0.9.2 --torch-backend=auto && vllm serve m\n", "0.9.2"),
        ("x.sh", "vllm serve m\npip install vllm==0.9.2\n", None),
        ("x.sh", "echo vllm==0.9.2\npip install vllm>=0.9.2 vllm-x==0.9.2\nvllm serve m\n", None),
        # What the machine has is not in a container.
        ("x.sh", "pip install vllm==0.9.2\ndocker run vllm/vllm-openai:latest --model m\n", None),
        ("Dockerfile", "FROM x\nRUN pip install vllm==0.9.2\nFROM y\nCMD vllm serve m\n", None),
        ("Dockerfile", "FROM x AS a\nRUN pip install vllm==0.9.2\nFROM a\nCMD vllm serve m\n", "0.9.2"),
        ("x.yaml", SKY % ("cpus: 4", "pip install vllm==0.6.6.post1"), "0.6.6.post1"),
        ("x.yaml", SKY % ("image_id: 'docker:vllm/vllm-openai:v0.10.0'", "true"), "0.10.0"),
        ("x.yaml", "requirements:\n- vllm==0.9.2\ndocker_server: {start_command: vllm serve m}\n", "0.9.2"),
        ("x.yaml", "base_image: {image: 'vllm/vllm-openai:v0.9.2'}\ndocker_server: {start_command: vllm serve m}\n", "0.9.2"),
        ("x.yaml", "type: task\nimage: vllm/vllm-openai:v0.9.2\ncommands: [vllm serve m]\n", "0.9.2"),
        ("x.yaml", "type: task\nimage: ubuntu:22.04\ncommands: [vllm serve m]\n", None),
        ("x.yaml", "jobs: {a: {container: {image: 'vllm/vllm-openai:v0.9.2'}, steps: [{run: vllm serve m}]}}\n", "0.9.2"),
    ],
)  # fmt: skip
def test_the_vllm_that_a_script_runs(name: str, text: str, version: str | None) -> None:
    (made,) = read(name, text)
    assert made.vllm == version
    told = [item.code for item in made.findings if item.code == "image-version"]
    assert told == (["image-version"] if version else [])


POD = "kind: Pod\nspec:\n  containers:\n  - name: a\n    image: %s\n    %s\n"


@pytest.mark.parametrize(
    ("image", "rest"),
    [
        ("vllm/vllm-openai:v0.19.1", "command: [python3, -m, vllm.entrypoints.grpc_server, --model, m]"),
        ("vllm/vllm-openai:v0.19.1", "command: [sh, -c, python3 /x/vllm/inference_api.py --port 1]"),
        ("vllm/vllm-omni:v0.22.0", "args: [vllm, serve, m, --omni, --max-model-len, '10']"),
        ("${ROUTER}", "args: [--port=8000, --vllm-port=8200]"),
    ],
)  # fmt: skip
def test_what_only_mentions_vllm_is_no_server(image: str, rest: str) -> None:
    assert read("x.yaml", POD % (image, rest)) == []


def test_a_module_that_is_none_of_vllms_is_judged() -> None:
    (made,) = read("x.yaml", POD % ("x", "command: [python3, -m, vllm.entrypoints.openai.api, m]"))
    assert made.tokens[2] == "vllm.entrypoints.openai.api"


def test_what_a_program_fills_in_before_kubernetes_may_be_anything() -> None:
    """As envsubst and Flux do; with the name of the container's own variable it is a mistake."""
    rest = "args: ['--model=${M}', '--port', '${P}', '--seed=${S}', '$${T}']\n    env: [{name: S, value: '${V}'}]"
    (made,) = read("x.yaml", POD % ("${VLLM_IMAGE}", rest))
    assert made.tokens[2:] == ["--model=${M}", "--port", "${P}", "--seed=${S}", "${T}"]
    assert sorted(made.unknown) == ["${M}", "${P}"]
    assert made.env == {}
    told = [item.subject for item in made.findings if item.code == "value-not-known"]
    assert told == ["${V}", "${M}", "${P}"]
    script = "command: [sh, -c, 'P=1; vllm serve m --port ${P}']"
    (made,) = read("x.yaml", POD % ("x", script))
    assert made.tokens == ["vllm", "serve", "m", "--port", "1"]


def test_a_template_in_a_text_of_yaml_is_a_text() -> None:
    """As the chat template in a ConfigMap of boredabdel/adk-vllm-gke, vllm-deployment.yaml."""
    text = "kind: ConfigMap\ndata:\n  a: |\n    {{ vllm }}\n    {%% if x %%}\n%s"
    assert read("x.yaml", text % "") == []
    (made,) = read("x.yaml", text % "  b: {{ vllm }}\n")
    assert [item.code for item in made.findings] == ["unreadable-file"]
