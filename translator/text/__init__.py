"""Codecs and lexers that know nothing of vLLM."""
