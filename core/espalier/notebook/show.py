"""`espalier.show`: a tree or forest in a notebook."""

from __future__ import annotations

import importlib.util
from typing import Any

from espalier.language import say
from espalier.notebook.shown import ShownModel, axes_of, model_to_show
from espalier.notebook.static import html_of


class StillTree:
    """A tree or forest as a picture, for a notebook; `note` says how it comes to life."""

    def __init__(self, model: ShownModel, note: str):
        self.model, self.note = model, note

    def _repr_html_(self) -> str:
        return html_of(self.model, self.note)

    def __repr__(self) -> str:
        return f"<{self.model.name}. {self.note}>"


def show(model: Any, X: Any = None, y: Any = None, axes: Any = None) -> Any:
    """Return the widget, or a picture that says what it takes; see `espalier.show`."""
    model_shown = model_to_show(model, X, y)
    if model_shown.data is None:
        return StillTree(model_shown, say("To click in it, give its rows, too: show(model, X, y)"))
    axes_of(model_shown.record, model_shown.data, axes)
    if importlib.util.find_spec("anywidget") is None:
        return StillTree(model_shown, say("To click in it, install espalier[notebook]"))
    from espalier.notebook.widget import TreeWidget

    return TreeWidget(model_shown, axes)
