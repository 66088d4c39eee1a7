"""A static site about all flags, variables and findings, made of the pages about names."""
