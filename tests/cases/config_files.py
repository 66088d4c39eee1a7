"""Files of `vllm serve --config`, and which versions' real parsers take them: config_files.json.

python -m tests.real.record_files        asks the real parsers (TRANSLATE_REAL_DIR), a minute
"""

import json
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("config_files.json")
# Of each way in which a file became tokens: words, lists as text, tokens for lists, JSON for objects.
VERSIONS = ("0.6.2", "0.8.5", "0.11.0", "0.33.0")


def recorded() -> dict[str, dict[str, bool]]:
    """Return the record: version → file → whether its real parser takes it."""
    found: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return found


# The model stands on the command line, as `m`. Add a further file to the
# record of the newest version, and ask.
FILES = tuple(recorded()[VERSIONS[-1]])


def write(answers: dict[str, dict[str, bool]]) -> None:
    RECORD.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", "utf-8")
