"""Pruning on the Tree page: which subtree is shown, and the tab that says why."""
