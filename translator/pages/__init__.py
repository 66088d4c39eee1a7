"""What is known about a name, for people."""
