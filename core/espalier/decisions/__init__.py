"""Decisions: what errors cost, from which share a class is the answer, and how often that is right."""
