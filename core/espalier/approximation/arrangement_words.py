"""Texts on an uploaded model: the order of its classes and columns, the reasons, and its accuracy on the table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from espalier.approximation.fidelity import Arranged, Order, candidates
from espalier.data.dataset import Dataset
from espalier.display.theme import count, number, percent
from espalier.language import say

SHOWN = 3  # names at the beginning of an order


def classes(order: Order, dataset: Dataset) -> str:
    """Return an order of classes: "0 = malignant, 1 = benign"."""
    return ", ".join(f"{j} = {dataset.classes[at]}" for j, at in enumerate(order))


def columns(order: Order, dataset: Dataset) -> str:
    """Return an order of columns by its name and its beginning: "as in the table: radius, texture, …"."""
    names = [feature.name for feature in dataset.features]
    known = (say(name) for name, other in candidates(names).items() if other == order)
    called = next(known, say("in an order of your own"))
    begins = ", ".join(names[at] for at in order[:SHOWN])
    return f"{called}: {begins}{', …' if len(order) > SHOWN else ''}"


def taken(arranged: Arranged, dataset: Dataset, is_chosen: bool, escaped: Callable[[str], str] = str) -> str:
    """Return the order of classes and columns, and the reasons; empty for a model that names both."""
    if not (arranged.may_classes or arranged.may_columns):
        return ""
    if not arranged.may_columns:
        orders = say("Your model's class {classes}.", classes=escaped(classes(arranged.classes, dataset)))
    else:
        orders = say(
            "Your model's class {classes}; its columns stand {columns}."
            if arranged.may_classes
            else "Your model's columns stand {columns}.",
            classes=escaped(classes(arranged.classes, dataset)),
            columns=escaped(columns(arranged.columns, dataset)),
        )
    return f"{orders} {_why(arranged, dataset, is_chosen)}"


def _why(arranged: Arranged, dataset: Dataset, is_chosen: bool) -> str:
    is_share = dataset.is_classification
    so = (
        say("it is right in {share} of {n} rows", share=percent(arranged.right), n=count(arranged.n_rows))
        if is_share
        else _explains(arranged.right)
    )
    if is_chosen:
        return say("You chose so; {result}.", result=so)
    if _is_as_in_table(arranged):
        return say("None of the other orders tried agrees better with the target: {result}.", result=so)
    other = percent(arranged.as_table) if is_share else number(round(arranged.as_table, 3))
    return say(
        "This order agrees best with the target: {result}; in the table's own order {other}.",
        result=so,
        other=other,
    )


def _explains(r2: float) -> str:
    return say("R² of its numbers is {r2}", r2=number(round(r2, 3)))


def _is_as_in_table(arranged: Arranged) -> bool:
    return all(order == tuple(range(len(order))) for order in (arranged.classes, arranged.columns))


def warning(arranged: Arranged, dataset: Dataset, escaped: Callable[[str], str] = str) -> str:
    """Return a warning if the model is no better than a constant prediction; else empty."""
    if not arranged.is_useless:
        return ""
    ask = say("Are the columns in the right order?" if arranged.may_columns else "Is it a model of this table?")
    if dataset.is_classification:
        return f"{_no_better(arranged, escaped(dataset.classes[int(np.bincount(dataset.y).argmax())]))} {ask}"
    return f"{say('**No better than always saying the mean:** {result}.', result=_explains(arranged.right))} {ask}"


def _no_better(arranged: Arranged, most: str) -> str:
    """Return how the model compares to saying the most frequent class always."""
    return say(
        "**Hardly better than always saying {most}:** your model is right in {right} of the rows, always saying "
        "{most} in {baseline}."
        if arranged.right > arranged.baseline
        else "**No better than always saying {most}:** your model is right in {right} of the rows, always saying "
        "{most} in {baseline}.",
        most=most,
        right=percent(arranged.right),
        baseline=percent(arranged.baseline),
    )


def known_rows(model: float, tree: float, is_share: bool) -> str:
    """Return how good model and tree are on held-out rows that the model may have learned from."""
    if is_share:
        text = say("your model is right in {model}, the tree in {tree}", model=percent(model), tree=percent(tree))
    else:
        scores = {"model": number(round(model, 3)), "tree": number(round(tree, 3))}
        text = say("R² of your model is {model}, of the tree {tree}", **scores)
    return say(
        "On the held-out rows {result}; but your model may have learned from these very rows, so this is no "
        "promise for new ones.",
        result=text,
    )
