"""The laws as properties, over settings of any version: the strategies are built from the catalogs
themselves.
"""
