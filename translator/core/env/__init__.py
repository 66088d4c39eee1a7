"""Read and write the variables of a container under a platform's naming scheme (dialect)."""
