"""Facts about vLLM: the compiled tables, read lazily and cached."""
