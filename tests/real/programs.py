"""The platforms' own programs are run, beside the rules of tests/support/consumers.py that the tests
ask in their place.

    PYTHON tests/real/programs.py CLONE DIALECT VERSION [SOURCES]

CLONE is a clone of the program's repository (read as data; nothing of it is kept), VERSION a vLLM.
For `lmi`, PYTHON is that of the real vLLM's virtual environment, and SOURCES the folder
with the sources of that version. Each flag with a handful of
values, and 300 command lines of several flags, are written as variables; what the program makes of
them must be what our rules make of them.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from generations import load, singles

HERE = Path(__file__).resolve()
sys.path[0:0] = [str(HERE.parents[1])]
LINES = 300
STUB = "#!/bin/sh\nprintf '%s\\0' \"$@\"\n"
AWS_SCRIPT = "scripts/docker/vllm/sagemaker_entrypoint.sh"
HF = "scripts/docker/huggingface/vllm"


class Clone:
    """A clone, and a folder in which its programs run, with stand-ins that print their arguments."""

    def __init__(self, path: str, stubs: tuple[str, ...] = ()) -> None:
        self.path, self.folder = path, Path(tempfile.mkdtemp())
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in stubs:
            self.bin.joinpath(name).write_text(STUB)
            self.bin.joinpath(name).chmod(0o755)

    def text(self, path: str, commit: str = "HEAD") -> str:
        show = ["git", "-C", self.path, "show", f"{commit}:{path}"]
        return subprocess.check_output(show, text=True)

    def put(self, path: str, to: str, commit: str = "HEAD") -> Path:
        found = self.folder / to
        found.parent.mkdir(parents=True, exist_ok=True)
        found.write_text(self.text(path, commit).replace("/usr/local/bin/", f"{self.folder}/"))
        return found

    def run(self, command: list[str], env: dict[str, str]) -> list[str]:
        around = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": "/root", **env}
        done = subprocess.run(
            command, env=around, cwd=self.folder, capture_output=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode()[-300:])
        return done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]


Program = Callable[[dict[str, str]], list[str]]


def runpod(commit: str) -> Callable[[str], Program]:
    """The worker's main.py, up to where it would fetch its first job."""

    def make(clone: str) -> Program:
        here = Clone(clone)
        for name in ("main", "args_builder", "download_model", "handler"):
            path = here.put(f"src/{name}.py", f"{name}.py", commit)
        code = compile(path.with_name("main.py").read_text(), "main.py", "exec")
        sys.path.append(str(here.folder))
        sys.modules.update(
            dict.fromkeys(("huggingface_hub", "aiohttp", "runpod"), mock.MagicMock())
        )

        def tokens(env: dict[str, str]) -> list[str]:
            started: list[list[str]] = []

            class Process:
                def __init__(self, argv: list[str]) -> None:
                    started.append(argv)

                def poll(self) -> None: ...

            healthy = mock.MagicMock(return_value=mock.MagicMock(status=200))
            healthy.return_value.__enter__.return_value = healthy.return_value
            sys.modules.pop("handler", None)
            with (
                mock.patch.object(os, "environ", env),
                mock.patch("subprocess.Popen", Process),
                mock.patch("signal.signal"),
                mock.patch("urllib.request.urlopen", healthy),
            ):
                exec(code, {"__name__": "__main__"})
            return started[0][2:]

        return tokens

    return make


def sagemaker(clone: str) -> Program:
    path = Clone(clone).put("scripts/docker/vllm/sagemaker_args.py", "args.py")
    theirs = load("sagemaker_args", path)
    return lambda env: list(theirs.build_args(env))


def sagemaker_script(commit: str, path: str) -> Callable[[str], Program]:
    def make(clone: str) -> Program:
        here = Clone(clone, ("standard-supervisor", "python3"))
        script = here.put(path, "entrypoint.sh", commit)
        if path.startswith(HF):
            here.put(f"{HF}/hf_optimizations.sh", "hf_optimizations.sh", commit)

        def tokens(env: dict[str, str]) -> list[str]:
            found = here.run(["bash", "-c", f"exec 3>&1; . {script} 2>&1"], env)
            start = found.index("vllm.entrypoints.openai.api_server")
            return found[start + 1 :]

        return tokens

    return make


def kserve(clone: str) -> Program:
    import yaml

    here = Clone(clone, ("vllm",))
    here.bin.joinpath("vllm").write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo 0.15.0 || printf \'%s\\0\' "$@"\n'
    )
    preset = yaml.safe_load(here.text("config/llmisvcconfig/config-llm-template.yaml"))
    text = preset["spec"]["template"]["containers"][0]["command"][2]
    text = re.sub(r"\{\{-? ?if .*?end \}\}", "", text).replace("{{ .Spec.Model.Name }}", "name")
    script = here.folder / "main.sh"
    script.write_text(re.sub(r"\{\{.*?\}\}", "x", text))

    def tokens(env: dict[str, str]) -> list[str]:
        found = here.run(["bash", str(script)], env)
        found[0] = found[0].rpartition("\n")[2]  # what it prints before
        assert found[1:4] == ["/mnt/models", "--served-model-name", "name"], found
        return ["/mnt/models", *found[5:]]

    return tokens


def real_vllm() -> Any:
    from translator.maintain.harvest.real_parser import RealParser

    return RealParser()


def lmi(clone: str) -> Program:
    """Its Java part, which names the options, is written down here; the classes are its own."""
    here = Clone(clone)
    for name in ("properties", "hf_properties", "vllm_rb_properties"):
        where = f"djl_python/properties_manager/{name}.py"
        here.put(f"engines/python/setup/{where}", where)
    sys.path.append(str(here.folder))
    real_vllm()
    from djl_python.properties_manager.hf_properties import HuggingFaceProperties
    from djl_python.properties_manager.vllm_rb_properties import (
        VllmRbProperties,
        construct_vllm_args_list,
    )

    def tokens(env: dict[str, str]) -> list[str]:
        options = {"engine": "Python", "tensor_parallel_degree": "1", "rolling_batch": "disable"}
        options |= {"pipeline_parallel_degree": "1", "max_rolling_batch_size": "32"}
        options |= {name[7:].lower(): text for name, text in env.items() if name[:7] == "OPTION_"}
        options |= {"model_id": env["HF_MODEL_ID"]}
        options |= {"revision": env["HF_REVISION"]} if "HF_REVISION" in env else {}
        HuggingFaceProperties(**dict(options))
        own = VllmRbProperties(**dict(options))
        further = own.get_additional_vllm_engine_args()
        own.handle_lmi_vllm_config_conflicts(further)
        made = construct_vllm_args_list(own.generate_vllm_engine_arg_dict(further))
        own.get_engine_args(async_engine=True)
        server = ("chat_template", "chat_template_content_format", "tool_call_parser")
        for name in server:  # the HTTP classes get these
            made += [f"--{name}", str(options[name])] if name in options else []
        auto = options.get("enable_auto_tool_choice", "").lower()
        spelled = {"true": ["--enable-auto-tool-choice"], "false": ["--no-enable-auto-tool-choice"]}
        return made + spelled.get(auto, [])

    return tokens


PROGRAMS: dict[str, Callable[[str], Any]] = {
    "runpod@2.25": runpod("v2.25.2"),
    "sagemaker": sagemaker,
    "sagemaker@shell": sagemaker_script("dceae13291323f0985f5e90923f4b332c387af6a^", AWS_SCRIPT),
    "sagemaker@upstream": sagemaker_script("6e3c309401", "scripts/vllm/sagemaker_entrypoint.sh"),
    "sagemaker@huggingface": sagemaker_script("HEAD", f"{HF}/sagemaker_entrypoint.sh"),
    "kserve": kserve,
    "lmi": lmi,
}


def main() -> None:
    clone, dialect, version = sys.argv[1:4]
    if len(sys.argv) > 4:
        sys.path[0:0] = [sys.argv[4]]
    from support.consumers import model_first, tokens_for
    from support.dialects import settings

    from translator import TranslationError, args_to_env
    from translator.core.tables.catalog import shipped

    uuid.uuid4 = lambda: uuid.UUID(int=0)  # some classes name themselves at random
    program = PROGRAMS[dialect](clone)
    fields = {flag.flag[2:].replace("-", "_") for flag in shipped().catalog(version).flags()}
    if dialect == "lmi":
        from vllm.engine.arg_utils import EngineArgs

        fields = set(EngineArgs.__annotations__)
    more = {"fields": fields} if dialect == "lmi" else {}
    count: Counter[str] = Counter()
    model = "Qwen/Qwen3-0.6B"

    def ask(line: list[str]) -> bool:
        try:
            made = args_to_env([model, *line], vllm=version, dialect=dialect)
        except TranslationError:
            count["cannot"] += 1
            return False
        env = dict(made.env)
        if dialect.startswith("sagemaker"):
            env["PROCESS_AUTO_RECOVERY"] = "false"  # the supervisor is asked by itself
        try:
            found, mine = model_first(program(env)), tokens_for(dialect, env, **more)
            calculated = {
                name
                for item in made.findings
                if item.code == "platform-default"
                for name in item.subject.split(", ")
            }
            one, other = (settings(list(item or ()), version) for item in (found, mine))
            unlike: Any = [
                (name, one.get(name), other.get(name))
                for name in one.keys() | other.keys()
                if one.get(name) != other.get(name) and name not in calculated
            ]
        except BaseException as error:  # the program stops
            if isinstance(error, KeyboardInterrupt):
                raise
            unlike = [f"{type(error).__name__}: {error}"[:300]]
        if unlike:
            count["differs"] += 1
            print("differs", shlex.join(line), json.dumps(made.env), unlike)
            return False
        count["same"] += 1
        return True

    step = 4 if "@" in dialect else 1  # those take a while for each
    able = [line for line in singles(version)[::step] if ask(line)]
    rng = random.Random(7)
    for _ in range(LINES):
        chosen = {
            item[0].partition("=")[0].replace("--no-", "--"): item
            for item in rng.sample(able, min(len(able), rng.randint(2, 10)))
        }
        ask([token for item in chosen.values() for token in item])
    print(dialect, version, dict(count))


if __name__ == "__main__":
    main()
