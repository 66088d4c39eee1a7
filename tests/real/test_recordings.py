"""What the quick suite knows of the platforms' own programs (tests/cases/programs) is what they make
of the variables today.

TRANSLATE_WORKER_VLLM names a clone of the repository of RunPod's worker, TRANSLATE_AWS one of AWS's
deep-learning-containers.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import recordings
from support.documents import ROOT

CLONES = {"runpod": "TRANSLATE_WORKER_VLLM", "sagemaker": "TRANSLATE_AWS"}


@pytest.mark.parametrize("dialect", recordings.names())
def test_the_recording_is_what_the_program_does(dialect: str) -> None:
    """In a process of its own: the programs bring modules with names such as `main`."""
    clone = os.environ.get(CLONES[dialect.partition("@")[0]])
    if clone is None:
        pytest.skip("there is no clone of its repository")
    script = Path(__file__).with_name("recordings.py")
    command, env = (
        [sys.executable, str(script), clone, dialect],
        {**os.environ, "PYTHONPATH": str(ROOT)},
    )
    made = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert made == recordings.FOLDER.joinpath(f"{dialect}.json").read_text("utf-8")
