"""Secrets: what must not be shown."""
