"""The entrypoint's modules from one file of compiled code: the same as from their sources, and
never instead of other sources.
"""

from __future__ import annotations

import compileall
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import translator

BUILD = Path(__file__).parents[2] / ".ci" / "build_bundle.py"
ENV = {
    "MODEL_NAME": "org/m",
    "MAX_MODEL_LEN": "8k",
    "TRANSLATE_VLLM_VERSION": "0.27.1",
    "HF_TOKEN": "hf_abcdefgh",
    "NODE_NAME": "x",
}
PLAIN = ENV | {"DTYPE": "bfloat16", "ENFORCE_EAGER": "true"}
EXEC = ["-m", "translator", "exec", "--dry-run"]
# Prints the modules of ours, each with what imported it.
WHENCE = """
import atexit, sys
def tell():
    for name, module in sorted(sys.modules.items()):
        if name.startswith("translator"):
            print(name, type(module.__spec__.loader).__name__, module.__file__, file=sys.stderr)
atexit.register(tell)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package's sources and its bundle, without .pyc files, as a wheel would lay
    it out.
    """
    root = tmp_path_factory.mktemp("built")
    shutil.copytree(
        Path(translator.__file__).parent,
        root / "translator",
        ignore=shutil.ignore_patterns("__pycache__", "*.bin"),
    )
    (root / ".ci").mkdir()
    shutil.copy(BUILD, root / ".ci")
    made = build(root)
    assert made.name == f"code.{sys.implementation.cache_tag}.bin"
    (root / "sitecustomize.py").write_text(WHENCE)
    return root


@pytest.fixture
def installed(built: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return shutil.copytree(built, tmp_path / "installed")


def build(root: Path) -> Path:
    command = [
        sys.executable,
        "-S",
        "-s",
        str(root / ".ci" / BUILD.name),
        str(root / "translator" / "_compiled"),
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


def run(
    root: Path, env: dict[str, str], *options: str, python: tuple[str, ...] = ()
) -> tuple[str, dict[str, tuple[str, str]]]:
    """What is printed, and module -> (kind of importer, file)."""
    environment = {
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": os.environ["PATH"],
        **env,
    }
    done = subprocess.run(
        [sys.executable, *python, *EXEC, *options],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    told = [line.split(" ") for line in done.stderr.splitlines() if line.startswith("translator")]
    return done.stdout, {name: (loader, file) for name, loader, file in told}


def test_an_entrypoint_needs_nothing_beside_the_bundle(installed: Path) -> None:
    """But for what is imported before it; and says the same as without it."""
    inputs: list[tuple[dict[str, str], tuple[str, ...]]] = [
        (PLAIN, ()),
        ({**ENV, "HF_OVERRIDES": '{"a": 1}', "SPECULATIVE_CONFIG__METHOD": "ngram"}, ()),
        ({**ENV, "VLLM_EXTRA_ARGS": "--port 9 --dtype half"}, ("--", "--seed=1")),
        ({**ENV, "SPECULATIVE_MODEL": "x", "TENSOR_PARALELL_SIZE": "2", "VLLM_USE_V1": "1"}, ()),
        ({"SM_VLLM_MODEL": "m", "SM_VLLM_ENFORCE_EAGER": "true"}, ("--dialect", "sagemaker")),
        ({**ENV, "HF_OVERRIDES": '{"a": 1}'}, ("--json-style", "dotted")),
    ]
    with_it = []
    for env, options in inputs:
        said, loaded = run(installed, env, *options)
        elsewhere = {name for name, (loader, _) in loaded.items() if loader != "Bundle"}
        assert elsewhere == {"translator"}, env
        files = [Path(file) for _, file in loaded.values()]
        assert all(file.is_file() and file.is_relative_to(installed) for file in files), env
        with_it.append(said)
    next((installed / "translator" / "_compiled").glob("*.bin")).unlink()
    for (env, options), said in zip(inputs, with_it, strict=True):
        # The sources are compiled once for all.
        without, loaded = run(installed, {**env, "PYTHONDONTWRITEBYTECODE": ""}, *options)
        assert without == said, env
        assert not any(loader == "Bundle" for loader, _ in loaded.values())


def test_a_source_that_was_changed_wins_over_its_compiled_code(installed: Path) -> None:
    """Somebody mends a file in an image at night: of the same length, even."""
    _, loaded = run(installed, PLAIN)
    name, place = max((name, file) for name, (_, file) in loaded.items() if "writer" in name)
    text = Path(place).read_text()
    Path(place).write_text(text.replace("e", "E", 1))  # in the docstring of the module
    _, loaded = run(installed, PLAIN)
    read = {each for each, (loader, _) in loaded.items() if loader == "SourceFileLoader"}
    assert read == {"translator", name}


def test_a_loader_that_was_changed_is_not_used(installed: Path) -> None:
    """Whoever mends bundle.py means that to run; so all else comes from its source."""
    with open(installed / "translator" / "bundle.py", "a") as file:
        file.write("\n")
    _, loaded = run(installed, PLAIN)
    assert not any(loader == "Bundle" for loader, _ in loaded.values())


@pytest.mark.parametrize(
    "content", [b"", b"not marshalled", b"i\x01\x00\x00\x00", b"(\x00\x00\x00\x00"]
)
def test_a_broken_bundle_is_none(installed: Path, content: bytes) -> None:
    """The sources are there."""
    next((installed / "translator" / "_compiled").glob("*.bin")).write_bytes(content)
    _, loaded = run(installed, PLAIN)
    assert not any(loader == "Bundle" for loader, _ in loaded.values())


def test_code_of_another_python_is_not_used(installed: Path) -> None:
    """Its magic number differs."""
    place = next((installed / "translator" / "_compiled").glob("*.bin"))
    content = place.read_bytes()
    assert content.count(importlib.util.MAGIC_NUMBER) >= 1
    place.write_bytes(content.replace(importlib.util.MAGIC_NUMBER, b"\x00\x00\r\n", 1))
    _, loaded = run(installed, PLAIN)
    assert not any(loader == "Bundle" for loader, _ in loaded.values())


def test_with_o_the_asserts_go(installed: Path) -> None:
    """`python -O` compiles otherwise, so it does it itself."""
    _, loaded = run(installed, PLAIN, python=("-O",))
    assert not any(loader == "Bundle" for loader, _ in loaded.values())


def test_the_same_sources_give_the_same_bytes(installed: Path) -> None:
    """The wheel is reproducible."""
    (first,) = (installed / "translator" / "_compiled").glob("*.bin")
    before = first.read_bytes()
    first.unlink()
    assert build(installed).read_bytes() == before


def test_a_module_that_is_not_there_is_not_found(installed: Path) -> None:
    """A bundle left behind by a removed source imports nothing."""
    (installed / "translator" / "api" / "translate.py").unlink()
    done = subprocess.run(
        [sys.executable, *EXEC],
        env={**PLAIN, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert "No module named 'translator.api.translate'" in done.stderr


# Runs the script once for each byte that is flipped (or, negative, each length that the file is cut
# to), in a fork each: a process that starts anew takes five times as long. Prints what was not as
# with the whole file.
DAMAGE = """
import os, sys
script, place, *positions = sys.argv[1:]
whole = open(place, "rb").read()
code = compile(open(script).read(), script, "exec")
said, logged = place + ".said", place + ".logged"

def once(content):
    with open(place, "wb") as file:
        file.write(content)
    child = os.fork()
    if not child:
        for number, name in ((1, said), (2, logged)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["translate", "exec", "--dry-run", "--explain"]
        exec(code, {"__name__": "__main__", "__file__": script, "__package__": None})
    status = os.waitpid(child, 0)[1]
    return status, open(said).read(), open(logged).read()

expected = once(whole)
print(expected[0], flush=True)
for position in map(int, positions):
    at = position % len(whole)
    damaged = whole[:-position] if position < 0 else whole[:at] + bytes([whole[at] ^ 65]) + whole[at + 1 :]
    found = once(damaged)
    if found != expected:
        print(position, found[0], found[2][-300:], flush=True)
"""


def test_a_damaged_bundle_is_never_seen(installed: Path) -> None:
    """Its head, what is always read, and the code of modules that only this input needs: a byte of
    it flipped, or its end lost.
    """
    compileall.compile_dir(installed / "translator", quiet=1)
    place = next((installed / "translator" / "_compiled").glob("*.bin"))
    size = place.stat().st_size
    flipped = [*range(0, 16, 5), *range(16, size, size // 18)]
    cut = [-at for at in range(1, size, size // 3)]
    done = subprocess.run(
        [
            *(sys.executable, "-c", DAMAGE, str(installed / "translator" / "__main__.py")),
            *map(str, [place, *flipped, *cut]),
        ],
        env={
            **ENV,
            "HF_OVERRIDES": '{"a": 1}',
            "SPECULATIVE_MODEL": "x",
            "TENSOR_PARALELL_SIZE": "2",
            "VLLM_EXTRA_ARGS": "--port 9",
            "PYTHONPATH": str(installed),
            "PATH": os.environ["PATH"],
        },
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    assert done.stdout == "0\n"


def test_only_the_branch_for_types_is_left_out(tmp_path: Path) -> None:
    """What stands in its `else` is what runs."""
    spec = importlib.util.spec_from_file_location("build_bundle", BUILD)
    assert spec is not None
    assert spec.loader is not None
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    builder.ROOT = tmp_path
    module = tmp_path / "module.py"
    module.write_text(
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import nothing\nelse:\n    made = 1\n"
    )
    found: dict[str, object] = {}
    exec(builder.compiled(module), found)
    assert found["made"] == 1
