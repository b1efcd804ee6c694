"""Figures, tables and words of reliability."""
