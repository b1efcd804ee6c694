"""Figures to drag: what an impurity rewards, and what bagging does to the influence of a row."""
