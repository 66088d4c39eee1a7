"""The schema of the tables, as classes.

The prose is in mappings/README.md. What one entry can say alone is checked here: what a field may
hold by its type (`field_types`), what fields are together by the class. What takes several entries
is checked in `lint`.
"""
