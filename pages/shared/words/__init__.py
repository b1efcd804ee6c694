"""Texts of the pages: one module for each page, and `everywhere` for those that several pages show."""
