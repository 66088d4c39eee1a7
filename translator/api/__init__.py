"""The public operations: translate, convert, check."""
