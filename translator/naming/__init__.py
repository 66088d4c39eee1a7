"""The meaning of a variable's name in one version's catalog and one dialect."""
