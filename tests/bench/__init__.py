"""How fast it is: `python -m tests.bench` prints a chart, `--json` keeps the figures."""
