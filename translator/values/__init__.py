"""One value of one flag, between text and its type."""
