"""Hands on the tree: the changes, the tree that they make, the controls, and the scores beside others."""
