"""Growth: whatever is read or written, twice as much of it takes about twice as long and twice the
memory.

`inputs.py` makes hostile inputs of any size, `surfaces.py` lists everything that reads or writes,
and `measure.py` doubles an input until it takes milliseconds, and compares.

    python -m tests.growth                 every surface with every input (an hour)
    python -m tests.growth --surface shell --part 1/10
    TRANSLATE_GROWTH=1 pytest tests/growth the same as tests; without it, a choice of them
"""
