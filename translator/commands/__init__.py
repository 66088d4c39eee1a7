"""What people paste: shell, docker, Kubernetes, compose, split into tokens and variables."""
