"""Unusual rows of the table in use, by an isolation forest: a part of the Data page."""
