"""Texts of the reports of pages."""
