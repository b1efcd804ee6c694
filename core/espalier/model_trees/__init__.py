"""Views of model trees: the formulas of leaves in words, and what they make of a feature."""
