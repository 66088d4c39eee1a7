"""Formats of variables and results, one module each: read and written."""
