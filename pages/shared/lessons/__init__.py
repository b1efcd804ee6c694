"""Lessons over the pages: where a session is in one, its panel, and what its students hand in."""
