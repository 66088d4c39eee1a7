"""The variables of a container, in a dialect: read and written."""
