"""Texts on tables: the Data page, its filters and roles of columns, and what about a table misleads."""
