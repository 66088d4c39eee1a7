"""RunPod's published table of its worker's variables, from the time of vLLM 0.5: each with a value
that is not its default, and the tokens that it becomes. Those without tokens are no flags.
"""

from pathlib import Path

RELEASES = ("0.5.2", "0.5.3", "0.5.3.post1", "0.5.4", "0.5.5")

_TABLE = (Path(__file__).parents[1] / "cases" / "first_worker.txt").read_text(encoding="utf-8")

# What is written differently from the releases named here on.
_LATER = {
    "ENABLE_CHUNKED_PREFILL": ("0.5.3", "--enable-chunked-prefill=true"),  # it became a bool-value
    "SWAP_SPACE": ("0.5.5", "--swap-space=5.0"),  # it became a float
}

# What stays in the environment: for Hugging Face's library, and for the worker itself.
SECRET = "HF_TOKEN"
WORKERS_OWN = (
    "PREEMPTION_CHECK_PERIOD", "PREEMPTION_CPU_CAPACITY", "DEFAULT_BATCH_SIZE",
    "DEFAULT_MIN_BATCH_SIZE", "DEFAULT_BATCH_SIZE_GROWTH_FACTOR", "RAW_OPENAI_OUTPUT",
    "MAX_CONCURRENCY",
)  # fmt: skip


def rows(version: str) -> list[tuple[str, str, list[str]]]:
    """The variables of the table: name, value, and the tokens of a release."""
    found = []
    for line in _TABLE.split():
        if line.startswith("--"):
            found[-1][2].append(line)
        else:
            name, _, text = line.partition("=")
            found.append((name, text, []))
    for name, _, tokens in found:
        since, later = _LATER.get(name, ("", ""))
        if since and RELEASES.index(version) >= RELEASES.index(since):
            tokens[:] = [later]
    return found
