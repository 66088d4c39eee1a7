"""What is known of vLLM: the compiled tables, read lazily and kept."""
