"""Texts on models and rows that a person brings."""
