"""What must not be seen."""
