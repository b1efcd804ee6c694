"""Readers of file formats: from bytes to columns of text cells or of values."""
