"""Texts on tables: what about them misleads."""
