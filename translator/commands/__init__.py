"""What people paste: shell, docker, Kubernetes, compose, taken apart into tokens and variables."""
