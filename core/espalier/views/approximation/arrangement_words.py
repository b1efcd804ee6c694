"""Texts on an uploaded model: the order of its classes and columns, the reasons, and its accuracy on the table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from espalier.analysis.approximation.arrangement import Arranged, Order, candidates
from espalier.data.dataset import Dataset
from espalier.views.theme import number, percent

SHOWN = 3  # names at the beginning of an order


def classes(order: Order, dataset: Dataset) -> str:
    """Return an order of classes: "0 = malignant, 1 = benign"."""
    return ", ".join(f"{j} = {dataset.classes[at]}" for j, at in enumerate(order))


def columns(order: Order, dataset: Dataset) -> str:
    """Return an order of columns by its name and its beginning: "as in the table: radius, texture, …"."""
    names = [feature.name for feature in dataset.features]
    called = next((name for name, other in candidates(names).items() if other == order), "in an order of your own")
    begins = ", ".join(names[at] for at in order[:SHOWN])
    return f"{called}: {begins}{', …' if len(order) > SHOWN else ''}"


def taken(arranged: Arranged, dataset: Dataset, is_chosen: bool, escaped: Callable[[str], str] = str) -> str:
    """Return the order of classes and columns, and the reasons; empty for a model that names both."""
    sentences = []
    if arranged.may_classes:
        sentences.append(f"Your model's class {escaped(classes(arranged.classes, dataset))}")
    if arranged.may_columns:
        sentences.append(
            f"{'its' if sentences else 'Your model’s'} columns stand {escaped(columns(arranged.columns, dataset))}"
        )
    if not sentences:
        return ""
    return f"{'; '.join(sentences)}. {_why(arranged, dataset, is_chosen)}"


def _why(arranged: Arranged, dataset: Dataset, is_chosen: bool) -> str:
    is_share = dataset.is_classification
    so = (
        f"it is right in {percent(arranged.right)} of {arranged.n_rows:,} rows"
        if is_share
        else _explains(arranged.right)
    )
    if is_chosen:
        return f"You chose so; {so}."
    if _is_as_in_table(arranged):
        return f"None of the other orders tried agrees better with the target: {so}."
    other = percent(arranged.as_table) if is_share else number(round(arranged.as_table, 3))
    return f"This order agrees best with the target: {so}; in the table's own order {other}."


def _explains(r2: float) -> str:
    return f"R² of its numbers is {number(round(r2, 3))}"


def _is_as_in_table(arranged: Arranged) -> bool:
    return all(order == tuple(range(len(order))) for order in (arranged.classes, arranged.columns))


def warning(arranged: Arranged, dataset: Dataset, escaped: Callable[[str], str] = str) -> str:
    """Return a warning if the model is no better than a constant prediction; else empty."""
    if not arranged.is_useless:
        return ""
    ask = "Are the columns in the right order?" if arranged.may_columns else "Is it a model of this table?"
    if not dataset.is_classification:
        return f"**No better than always saying the mean:** {_explains(arranged.right)}. {ask}"
    most = escaped(dataset.classes[int(np.bincount(dataset.y).argmax())])
    how = "Hardly" if arranged.right > arranged.baseline else "No"
    return (
        f"**{how} better than always saying {most}:** your model is right in {percent(arranged.right)} of the "
        f"rows, always saying {most} in {percent(arranged.baseline)}. {ask}"
    )


def known_rows(model: float, tree: float, is_share: bool) -> str:
    """Return how good model and tree are on held-out rows that the model may have learned from."""
    if is_share:
        text = f"your model is right in {percent(model)}, the tree in {percent(tree)}"
    else:
        text = f"R² of your model is {number(round(model, 3))}, of the tree {number(round(tree, 3))}"
    return (
        f"On the held-out rows {text}; but your model may have learned from these very rows, so this is no "
        "promise for new ones."
    )
