"""Espalier's core: growing, analysing and drawing decision trees, without any user interface.

``espalier.read_model`` reads the trees of another library (`espalier.learners.imports.read_model`),
``espalier.ready_model`` lets any other fitted model, or a function, be compared and asked for its doubts;
``espalier.show`` shows a tree or forest in a notebook.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from espalier import moved
from espalier.leaf_models import ModelTree
from espalier.oblique import ObliqueTree
from espalier.trees import CultivatedTree, Forest, Tree

if TYPE_CHECKING:
    from espalier.data.dataset import Dataset
    from espalier.learners.black_boxes.ready import ready_model
    from espalier.learners.imports import read_model

MODULES = {"read_model": "espalier.learners.imports", "ready_model": "espalier.learners.black_boxes.ready"}
__all__ = ["picture", "read_model", "ready_model", "show"]


moved.expect()


def __getattr__(name: str) -> Any:
    # The learners load when they are asked for: a process that reads strangers' files needs none of them.
    if name in MODULES:
        return getattr(importlib.import_module(MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def show(model: Any, X: Any = None, y: Any = None, axes: Any = None) -> Any:
    """Return a tree or forest to explore in a notebook: its tree and its decision surface, with one selection.

    `model` is a fitted estimator, a record (`Tree`, `Forest`, …) or what `espalier.read_model` returns. X
    (n_samples, n_features), an array or a DataFrame, and y (n_samples,) are the rows to draw; X may be a
    `Dataset`, and y None. `axes` are one or two features of the surface, as numbers or names; without them those
    that tell most. The widget has the traits `node`, `sample` and, of a forest, `tree`, which can be set and
    observed.

    Without rows, and without the package anywidget, what is returned is a picture, which says so. Raises
    ValueError for a model without trees, for rows that do not fit it, and for axes that are not there.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> show(CartClassifier(max_depth=2).fit(iris.X, iris.y))
    <CartClassifier(max_depth=2). To click in it, give its rows, too: show(model, X, y)>
    """
    return importlib.import_module("espalier.notebook.show").show(model, X, y, axes)


def picture(model: Any) -> str:
    """Return the HTML by which a notebook shows a tree, a forest or a fitted estimator."""
    return importlib.import_module("espalier.notebook.static").static_html(model)


def table(data: Dataset) -> str:
    """Return the HTML by which a notebook shows a table: its size, its target and its columns."""
    return importlib.import_module("espalier.reports.model").table_html(data)


# Notebooks ask a record itself for its picture. Records know no views, so they are told here.
for record in (Tree, CultivatedTree, ObliqueTree, ModelTree, Forest):
    setattr(record, "_repr_html_", picture)  # noqa: B010
del record
