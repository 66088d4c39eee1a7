"""How fast it is: `python -m tests.bench` prints a table, `--json` keeps the figures."""
