"""How fast it is: `python -m tests.bench` prints a chart, `--keep` keeps the figures."""
