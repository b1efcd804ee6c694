"""Plotly figures of the inspector and the scores; each has an alternative text."""

from espalier.display.tree.figures.confusion import confusion_alt, confusion_figure
from espalier.display.tree.figures.distribution import class_bar, class_bar_alt, histogram_alt, target_histogram

__all__ = [
    "class_bar", "class_bar_alt", "confusion_alt", "confusion_figure",
    "histogram_alt", "target_histogram",
]  # fmt: skip
