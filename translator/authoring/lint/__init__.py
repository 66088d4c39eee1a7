"""Checking the tables against each other."""
