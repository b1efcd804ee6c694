"""Readers of file formats: bytes to columns of text cells or of values."""
