"""Decisions on pages of several models: what errors cost, how often answers are right, and for which groups."""
