"""The authoring side of the tables: schema, lint, compile, harvest, drift. Nothing that runs
imports it.
"""
