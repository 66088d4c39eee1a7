"""Growth: whatever is read or written, twice as much of it takes about twice as long and twice the
memory.

`inputs.py` makes hostile inputs of any size, `surfaces.py` lists everything that reads or writes,
and `measure.py` doubles an input until it takes milliseconds, and compares.

    TRANSLATE_GROWTH=1 pytest tests/growth           every surface with every input (an hour)
    TRANSLATE_GROWTH=1 pytest tests/growth -k shell  those of some surfaces
    pytest tests/growth                              a choice of them
"""
