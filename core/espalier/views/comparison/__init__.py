"""Figures, tables and words of compared models."""
