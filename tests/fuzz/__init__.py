"""Coverage-guided fuzzing of everything that reads what others wrote, with atheris.

    python -m tests.fuzz                 every target for a minute (needs `pip install atheris`)
    python -m tests.fuzz --seconds 600 --target environment
    python -m tests.fuzz --target yaml --file INPUT

A target is a function of bytes that raises when a law is broken (`targets.py`). The inputs of
`corpus/TARGET/` are committed: a campaign starts from them, and the quick suite replays them.
"""
