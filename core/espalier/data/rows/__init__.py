"""Rows: their roles beside features and target, and how they are divided and drawn."""
