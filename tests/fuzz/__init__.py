"""Coverage-guided fuzzing of everything that reads what others wrote, with atheris.

    python -m tests.fuzz                 every target for a minute (needs `pip install atheris`)
    python -m tests.fuzz --seconds 600 --target environment

A target is a function of bytes that raises when a law is broken (`targets/`). The inputs of
`corpus/TARGET/` are committed: they are the seeds of the next campaign, and the quick suite replays
them.
"""
