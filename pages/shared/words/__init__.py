"""Texts of the pages: a module or a folder for each page, and `everywhere` for those that several pages show."""
