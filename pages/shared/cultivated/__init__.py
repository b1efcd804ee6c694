"""Cultivated trees on a page: the inspector of modules, and the hesitation figure."""
