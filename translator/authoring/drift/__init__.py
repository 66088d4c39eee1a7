"""What a freshly harvested vLLM changes."""
