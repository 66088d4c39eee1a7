"""What a real vLLM accepts, by asking it."""
