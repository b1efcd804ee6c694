"""What is said of an uploaded model: which class and column is which, why, and how much it knows of the table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from espalier.analysis.approximation.arrangement import Arranged, Order, candidates
from espalier.data.dataset import Dataset
from espalier.views.theme import number, percent

SHOWN = 3  # names at the beginning of an order


def classes(order: Order, dataset: Dataset) -> str:
    """An order of classes: "0 = malignant, 1 = benign"."""
    return ", ".join(f"{j} = {dataset.classes[at]}" for j, at in enumerate(order))


def columns(order: Order, dataset: Dataset) -> str:
    """An order of columns, by what it is called and how it begins: "as in the table: radius, texture, …"."""
    names = [feature.name for feature in dataset.features]
    called = next((name for name, other in candidates(names).items() if other == order), "in an order of your own")
    begins = ", ".join(names[at] for at in order[:SHOWN])
    return f"{called}: {begins}{', …' if len(order) > SHOWN else ''}"


def taken(found: Arranged, dataset: Dataset, is_chosen: bool, escaped: Callable[[str], str] = str) -> str:
    """Which class is which, the order of the columns, and why; nothing for a model that names both."""
    said = []
    if found.may_classes:
        said.append(f"Your model's class {escaped(classes(found.classes, dataset))}")
    if found.may_columns:
        said.append(
            f"{'its' if said else 'Your model’s'} columns stand {escaped(columns(found.columns, dataset))}"
        )
    if not said:
        return ""
    return f"{'; '.join(said)}. {_why(found, dataset, is_chosen)}"


def _why(found: Arranged, dataset: Dataset, is_chosen: bool) -> str:
    is_share = dataset.is_classification
    so = f"it is right in {percent(found.right)} of {found.n_rows:,} rows" if is_share else _explains(found.right)
    if is_chosen:
        return f"You chose so; {so}."
    if _is_as_in_table(found):
        return f"None of the other orders tried agrees better with the target: {so}."
    other = percent(found.as_table) if is_share else number(round(found.as_table, 3))
    return f"This order agrees best with the target: {so}; in the table's own order {other}."


def _explains(r2: float) -> str:
    return f"R² of its numbers is {number(round(r2, 3))}"


def _is_as_in_table(found: Arranged) -> bool:
    return all(order == tuple(range(len(order))) for order in (found.classes, found.columns))


def warning(found: Arranged, dataset: Dataset, escaped: Callable[[str], str] = str) -> str:
    """That the model is no better than always saying the same; nothing where it is."""
    if not found.is_useless:
        return ""
    ask = "Are the columns in the right order?" if found.may_columns else "Is it a model of this table?"
    if not dataset.is_classification:
        return f"**No better than always saying the mean:** {_explains(found.right)}. {ask}"
    most = escaped(dataset.classes[int(np.bincount(dataset.y).argmax())])
    how = "Hardly" if found.right > found.baseline else "No"
    return (
        f"**{how} better than always saying {most}:** your model is right in {percent(found.right)} of the rows, "
        f"always saying {most} in {percent(found.baseline)}. {ask}"
    )


def known_rows(model: float, tree: float, is_share: bool) -> str:
    """How good both are on held-out rows that the model may have learned from."""
    if is_share:
        told = f"your model is right in {percent(model)}, the tree in {percent(tree)}"
    else:
        told = f"R² of your model is {number(round(model, 3))}, of the tree {number(round(tree, 3))}"
    return (
        f"On the held-out rows {told}; but your model may have learned from these very rows, so this is no "
        "promise for new ones."
    )
