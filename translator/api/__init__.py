"""The calls: translate, convert, check."""
