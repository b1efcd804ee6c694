"""Plotly figures of the inspector and the scores; each has a text to be read aloud in its place."""

from core.views.figures.confusion import confusion_alt, confusion_figure
from core.views.figures.distribution import class_bar, class_bar_alt, histogram_alt, target_histogram
from core.views.figures.impurity import Look, cut_text, impurity_alt, impurity_figure, look

__all__ = [
    "Look", "class_bar", "class_bar_alt", "confusion_alt", "confusion_figure", "cut_text", "histogram_alt",
    "impurity_alt", "impurity_figure", "look", "target_histogram",
]  # fmt: skip
