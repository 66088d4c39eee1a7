"""The output forms, one module each. Each takes plain data and gives text and findings: what the form cannot hold is an error, never a guess."""
