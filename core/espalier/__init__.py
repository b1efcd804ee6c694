"""Espalier's core: growing, analysing and drawing decision trees, without any user interface."""
