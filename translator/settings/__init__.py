"""What is set: the form between every reader and every writer."""
