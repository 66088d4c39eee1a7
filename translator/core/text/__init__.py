"""Codecs and lexers without any knowledge of vLLM."""
