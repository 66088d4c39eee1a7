"""argv -> env -> argv is read by the real parser to the namespace of the first argv."""

from pathlib import Path

from support import catalogs, forms

from .laws import Tally, round_trip
from .parsers import Parsers

CONFIG = """\
served-model-name: [one, two]
port: 8123
max-model-len: 4096
"""
SWITCH = "enforce-eager: true\n"


def test_every_flag_in_every_spelling(
    version: str, parsers: Parsers, tally: Tally, tmp_path: Path
) -> None:
    """Joined and apart, underscored, abbreviated, short, negated, dotted, with `+`, twice; and what
    must be refused. A file of options, too.
    """
    config = tmp_path / "options.yaml"
    words = catalogs.catalog(version)["grammar"].get("config_words")  # then no switch is read
    config.write_text(CONFIG if words else SWITCH + CONFIG, encoding="utf-8")
    with_file = [
        ("org/m", "--config", str(config)),
        ("org/m", "--config", str(config), "--port", "8124"),
    ]
    round_trip(
        parsers,
        tally,
        [*forms.of(version), *(with_file if "--config" in catalogs.spellings(version) else ())],
    )
    tally.settle()
