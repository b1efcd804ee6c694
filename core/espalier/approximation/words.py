"""Approximation trees in words: how sure each split is, which splits came close, and where to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.approximation.fidelity import Arranged, FidelityLevel, Order, candidates
from espalier.data.dataset import Dataset, Feature
from espalier.display.text.trees import phrase
from espalier.display.text.values import subject
from espalier.display.theme import count, number, percent
from espalier.language import in_style, say, to_say
from espalier.learners.approximation import Considered
from espalier.tree.rules import ALL, Bound
from espalier.trees import LEAF, Tree

SURE, EXACT = to_say("decided"), to_say("exact")
THRESHOLD, COLUMN = to_say("threshold open"), to_say("column open")


class SplitFacts(NamedTuple):
    """A tree, the candidates considered for it, and how they were tested."""

    tree: Tree
    considered: Considered
    features: Sequence[Feature]
    missing: np.ndarray  # (n_features,) bool: which of them have missing values
    alpha: float
    is_exact: bool = False


def asks(facts: SplitFacts, runner: int) -> str:
    """Return the condition of a runner-up for rows to go left: "petal width ≤ 0.8"."""
    runners = facts.considered.runners
    threshold, feature = float(runners.threshold[runner]), int(runners.feature[runner])
    missing = bool(runners.missing_left[runner])
    if np.isnan(threshold):
        bound = Bound(feature, categories=ALL & int(runners.categories[runner]), missing=missing)
    else:
        bound = Bound(feature, high=threshold, missing=missing)
    return phrase(bound, facts.features, facts.missing)


def status(facts: SplitFacts, node: int) -> str:
    """Return how sure the split of a node is: one of the words above, or empty at a leaf.

    The column is open if a runner-up on another column was not found to be worse than the best split.
    """
    if facts.tree.feature[node] == LEAF:
        return ""
    if facts.considered.decided[node]:
        return EXACT if facts.is_exact else SURE
    return COLUMN if len(_other_columns(facts, node)) else THRESHOLD


def _other_columns(facts: SplitFacts, node: int) -> np.ndarray:
    """Return the runners-up on other columns that, each alone, are not found to be worse than the chosen split."""
    runners = facts.considered.runners
    rivals = np.arange(runners.start[node] + 1, runners.start[node + 1])
    p = runners.p_value[rivals]
    return rivals[(np.isnan(p) | (p > facts.alpha)) & (runners.feature[rivals] != facts.tree.feature[node])]


def unsure_splits(facts: SplitFacts) -> list[int]:
    """Return splits that the test did not decide, in the order of the tree's nodes."""
    return np.flatnonzero((facts.tree.feature != LEAF) & ~facts.considered.decided).tolist()


def verdict(facts: SplitFacts, node: int, escaped: Callable[[str], str] = str) -> str:
    """Return how the split of a node was chosen, and how sure it is, in Markdown.

    `escaped` treats the data's texts.
    """
    table, n_tried = facts.considered, int(facts.considered.n_prospects[node])
    runners, cases = table.runners, count(int(table.n_samples[node]))
    state = status(facts, node)
    if not state:
        if runners.start[node + 1] > runners.start[node]:
            return say("A leaf for now: growing was stopped before it was split.")
        if n_tried:
            return say("A leaf: no split of these rows changes the model's average answer.")
        return say("A leaf: no split was tried here.")
    if facts.is_exact:
        return say(
            "**Found exactly:** the split that sampling without end would find."
            if state == EXACT
            else "**An exact tie** of the best splits."
        )
    if state == SURE:
        return say(
            "**Decided with {n} made-up cases**: others differ with a chance of at most {chance}.",
            n=cases,
            chance=_chance(float(table.p_value[node])),
        )
    if state == COLUMN:
        condition = escaped(asks(facts, int(_other_columns(facts, node)[0])))
        text = say("**Do not rely on the column:** {condition} was not found to be worse.", condition=condition)
    else:
        is_number = not np.isnan(runners.threshold[runners.start[node]])
        text = say("**Only the threshold is open.**" if is_number else "**Only the grouping is open.**")
    left, tried = count(n_tried - int(table.n_discarded[node])), count(n_tried)
    rest = say("After {n} made-up cases {left} of {tried} splits were left.", n=cases, left=left, tried=tried)
    return f"{text} {rest}"


def _chance(p: float) -> str:
    return percent(p) if p >= 1e-3 else in_style("<0.1 %")


def sureness(facts: SplitFacts) -> str:
    """Return a sentence on all splits: how many the test decided."""
    n, n_open = int((facts.tree.feature != LEAF).sum()), len(unsure_splits(facts))
    if not n:
        return say("The tree asks nothing.")
    if n_open:
        return say("{sure} of {n} splits were decided; **?** marks the others.", sure=n - n_open, n=n)
    return say("Every split is exact." if facts.is_exact else "Every split was decided by the test.")


def enough_words(levels: Sequence[FidelityLevel], enough: int, deepest: int) -> str:
    """Return the depth at which to stop, in Markdown; `deepest` is the greatest depth allowed."""
    last = levels[-1].depth
    if enough < last:
        return say("**Depth {n} is enough:** deeper levels remove less than 2 % of the error.", n=enough)
    if last == deepest:
        return say("**Still gaining at depth {n}.**", n=last)
    return say("**Every level adds something;** the rows allow no deeper tree.")


def runners_table(facts: SplitFacts, node: int) -> pd.DataFrame:
    """Return the best splits of a node, the chosen one first: gain, chance to win, and condition."""
    runners = facts.considered.runners
    rows = range(int(runners.start[node]), int(runners.start[node + 1]))
    names = [subject(facts.features[int(runners.feature[i])]) for i in rows]
    chances = [say("best") if np.isnan(p) else _chance(p) for p in runners.p_value[rows].tolist()]
    return pd.DataFrame(
        {
            say("column"): [f"✓ {name}" if i == rows[0] else name for i, name in zip(rows, names, strict=True)],
            say("asks"): [asks(facts, i).removeprefix(name).strip() for i, name in zip(rows, names, strict=True)],
            say("gain"): runners.decrease[rows],
            **({} if facts.is_exact else {say("chance"): chances}),
        }
    )


# ---- texts on an uploaded model: the order of its classes and columns, the reasons, and its accuracy on the table

MOST_LISTED = 3  # names at the beginning of an order


def classes(order: Order, dataset: Dataset) -> str:
    """Return an order of classes: "0 = malignant, 1 = benign"."""
    return ", ".join(f"{j} = {dataset.classes[at]}" for j, at in enumerate(order))


def columns(order: Order, dataset: Dataset) -> str:
    """Return an order of columns by its name and its beginning: "as in the table: radius, texture, …"."""
    names = [feature.name for feature in dataset.features]
    usual = (say(name) for name, other in candidates(names).items() if other == order)
    order_name = next(usual, say("in an order of your own"))
    begins = ", ".join(names[at] for at in order[:MOST_LISTED])
    return f"{order_name}: {begins}{', …' if len(order) > MOST_LISTED else ''}"


def order_words(arranged: Arranged, dataset: Dataset, escaped: Callable[[str], str] = str) -> str:
    """Return the order of classes and columns, and how well it fits; empty for a model that names both."""
    orders = []
    if arranged.may_classes:
        orders.append(say("Your model's class {classes}.", classes=escaped(classes(arranged.classes, dataset))))
    if arranged.may_columns:
        order = escaped(columns(arranged.columns, dataset))
        orders.append(say("Your model's columns stand {columns}.", columns=order))
    if not orders:
        return ""
    fit, as_table = (_fit(score, dataset) for score in (arranged.right, arranged.as_table))
    orders.append(say("So {result}; in the table's own order {other}.", result=fit, other=as_table))
    return " ".join(orders)


def _fit(score: float, dataset: Dataset) -> str:
    """Return how well a model's answers fit the target."""
    if dataset.is_classification:
        return say("it is right in {share} of the rows", share=percent(score))
    return say("R² of its numbers is {r2}", r2=number(round(score, 3)))


def warning(arranged: Arranged, dataset: Dataset, escaped: Callable[[str], str] = str) -> str:
    """Return a warning if the model is no better than a constant prediction; else empty."""
    if not arranged.is_useless:
        return ""
    usual, fit = say("the mean"), _fit(arranged.right, dataset)
    if dataset.is_classification:
        usual = escaped(dataset.classes[int(np.bincount(dataset.y).argmax())])
    text = say("**Hardly better than always saying {most}:** {result}.", most=usual, result=fit)
    ask = say("Are the columns in the right order?" if arranged.may_columns else "Is it a model of this table?")
    return f"{text} {ask}"


def known_rows(model: float, tree: float, is_share: bool) -> str:
    """Return how good model and tree are on held-out rows that the model may have learned from."""
    scores = [percent(score) if is_share else f"R² {number(round(score, 3))}" for score in (model, tree)]
    return say(
        "On held-out rows, which it may have learned from, your model has {model}, the tree {tree}.",
        model=scores[0],
        tree=scores[1],
    )
