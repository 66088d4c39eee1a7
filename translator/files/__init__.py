"""Pasted input (shell, docker, Kubernetes, compose), split into tokens and variables."""
