"""The authoring side: schema, lint, compile, harvest. Nothing that runs imports it."""
