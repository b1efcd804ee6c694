"""Learners on a page: the controls of each, derived settings, and the list of those on offer."""
