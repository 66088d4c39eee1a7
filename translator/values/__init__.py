"""Convert one value of one flag between string and type."""
