"""JSON Schemas (draft 2020-12) of what editors complete: `--config` files and files of variables.

A schema never refuses what vLLM starts with. It may accept more: it sees one key at a time.
"""
