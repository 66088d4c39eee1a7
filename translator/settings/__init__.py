"""Settings: the representation between every reader and every writer."""
