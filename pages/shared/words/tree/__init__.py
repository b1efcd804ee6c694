"""Texts of the Tree page: the page, the nodes of a tree, and pruning."""
