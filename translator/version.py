"""The version of this package, and where it is kept."""

__version__ = "0.1.0"

# Its address, without a slash at the end: what is released has one (.github/workflows/release.yml).
REPOSITORY = ""
