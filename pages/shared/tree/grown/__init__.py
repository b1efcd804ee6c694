"""The record of a tree on the Tree page."""
