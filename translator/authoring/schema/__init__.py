"""The schema of the tables, as classes.

The prose is in mappings/README.md. What one entry can say alone is checked here, what takes several
of them in `lint`. A validator raises ValueError with a text that goes after "where: ".
"""
