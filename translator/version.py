"""The version of this package, and where it is kept."""

__version__ = "0.1.0"

REPOSITORY = ""
"""The address of the repository, without a slash at its end, to whose documents reports lead; what
is released has one (.github/workflows/release.yml)."""
