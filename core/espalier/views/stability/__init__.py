"""Figures, tables and words of stability."""
