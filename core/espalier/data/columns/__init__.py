"""Columns of text cells become numbers, categories and classes."""
