"""Command lines of `vllm serve`: read as the real parser of a version reads them, and written."""
