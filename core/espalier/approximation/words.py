"""Approximation trees in words: how sure each split is, which splits came close, and where to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.approximation.fidelity import Arranged, FidelityLevel, Order, candidates
from espalier.data.dataset import Dataset, Feature
from espalier.display.text.trees import join, phrase
from espalier.display.text.values import subject
from espalier.display.theme import count, number, percent
from espalier.language import in_style, say, to_say
from espalier.learners.approximation import Considered
from espalier.tree.rules import ALL, Bound
from espalier.trees import LEAF, Tree, depths

SURE, EXACT = to_say("decided"), to_say("exact")
THRESHOLD, COLUMN = to_say("threshold open"), to_say("column open")
REASONS = {
    "best": to_say("the best so far was taken"),
    "order": to_say("the first column not found to be worse was taken"),
}


class SplitTerms(NamedTuple):
    """The settings by which the splits were chosen."""

    alpha: float
    is_exact: bool
    at_limit: str  # "best" or "order"
    is_whole: bool = True  # False if growing was stopped


class SplitFacts(NamedTuple):
    """A tree, the candidates considered for it, and the settings."""

    tree: Tree
    considered: Considered
    features: Sequence[Feature]
    missing: np.ndarray  # (n_features,) bool: which of them have missing values
    terms: SplitTerms


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
        return EXACT if facts.terms.is_exact else SURE
    rivals = _not_worse(facts, node)
    return COLUMN if (facts.considered.runners.feature[rivals] != facts.tree.feature[node]).any() else THRESHOLD


def _not_worse(facts: SplitFacts, node: int) -> np.ndarray:
    """Return the runners-up of a node that, each alone, are not found to be worse than the chosen split."""
    start, p = facts.considered.runners.start, facts.considered.runners.p_value
    rivals = np.arange(start[node] + 1, start[node + 1])
    return rivals[np.isnan(p[rivals]) | (p[rivals] > facts.terms.alpha)]


def unsure_splits(facts: SplitFacts) -> list[int]:
    """Return splits that the test did not decide, in the order of the tree's nodes."""
    return np.flatnonzero((facts.tree.feature != LEAF) & ~facts.considered.decided).tolist()


def verdict(facts: SplitFacts, node: int, escaped: Callable[[str], str] = str) -> str:
    """Return how the split of a node was chosen, and how sure it is, in Markdown.

    `escaped` treats the data's texts.
    """
    table = facts.considered
    if facts.tree.feature[node] == LEAF:
        return _why_leaf(facts, node)
    if facts.terms.is_exact:
        return _exactly(facts, node)
    n, rounds, p = (int(v[node]) for v in (table.n_samples, table.n_rounds, table.n_prospects))
    counts = {"n": count(n), "tried": count(p)}
    if table.decided[node]:
        return say(
            "**The test decided with {n} made-up cases** in {rounds} rounds: the chance that others like them "
            "would prefer another of the {tried} splits tried is at most {chance}, less than α = {alpha}."
            if rounds > 1
            else "**The test decided with {n} made-up cases**: the chance that others like them would prefer "
            "another of the {tried} splits tried is at most {chance}, less than α = {alpha}.",
            **counts,
            rounds=rounds,
            chance=_chance(float(table.p_value[node])),
            alpha=percent(facts.terms.alpha),
        )
    left = p - int(table.n_discarded[node])
    running = say(
        "After {n} made-up cases {left} splits of {tried} tried were still in the running; {taken}."
        if left < p
        else "After {n} made-up cases {left} splits were still in the running; {taken}.",
        **counts,
        left=count(left),
        taken=say(REASONS[facts.terms.at_limit]),
    )
    return f"{_what_is_open(facts, node, escaped)} {running}"


def _is_stopped(facts: SplitFacts, node: int) -> bool:
    """Return whether a leaf would have been split, had growing not been stopped."""
    start = facts.considered.runners.start
    return bool(start[node + 1] > start[node])


def _why_leaf(facts: SplitFacts, node: int) -> str:
    if _is_stopped(facts, node):
        return say("A leaf for now: growing was stopped before it was split.")
    if not (facts.terms.is_whole or facts.considered.n_prospects[node]):
        return say("A leaf: growing was stopped before any split was tried here.")
    if facts.considered.n_prospects[node]:
        return say("A leaf: no split of these rows changes the model's average answer.")
    if depths(facts.tree)[node] == facts.tree.depth:
        return say("A leaf at the end of the questions allowed: no split was tried here.")
    return say("A leaf: too few rows, or none that differ, so no split was tried here.")


def _exactly(facts: SplitFacts, node: int) -> str:
    if not facts.considered.decided[node]:
        return say("**An exact tie** of the best splits; {taken}.", taken=say(REASONS["best"]))
    gap = float(facts.considered.gap[node])
    text = say("**Found exactly:** the split that sampling without end would find.")
    if np.isnan(gap):
        return text
    return f"{text} {say('The best rival lowers the impurity by {gap} less.', gap=number(gap))}"


def _what_is_open(facts: SplitFacts, node: int, escaped: Callable[[str], str]) -> str:
    rivals = _not_worse(facts, node)
    other = rivals[facts.considered.runners.feature[rivals] != facts.tree.feature[node]]
    if len(other):
        return say(
            "**Do not rely on the column:** asking whether {condition} was not found to be worse, and other "
            "made-up cases may prefer it.",
            condition=escaped(asks(facts, int(other[0]))),
        )
    is_number = not np.isnan(facts.considered.runners.threshold[facts.considered.runners.start[node]])
    # the chances of the rivals that are not listed, none of which alone has a greater one
    start, p = facts.considered.runners.start, facts.considered.runners.p_value
    if facts.considered.p_value[node] - np.nansum(p[start[node] : start[node + 1]]) < facts.terms.alpha:
        return say(
            "**Many thresholds do equally well here; only the exact number is uncertain.**"
            if is_number
            else "**Many groupings do equally well here; only which categories go together is uncertain.**"
        )
    return say(
        "**Many thresholds do about equally well here; probably only the exact number is uncertain.**"
        if is_number
        else "**Many groupings do about equally well here; probably only which categories go together is "
        "uncertain.**"
    )


def _chance(p: float) -> str:
    return percent(p) if p >= 1e-3 else in_style("<0.1 %")


def sureness(facts: SplitFacts) -> str:
    """Return a sentence on all splits: how many the test decided, and what is open in the others."""
    splits = np.flatnonzero(facts.tree.feature != LEAF).tolist()
    if not splits and _is_stopped(facts, 0):
        return say("It asks nothing yet: growing was stopped.")
    if not splits:
        return say("The tree asks nothing: no split changes the model's average answer.")
    if facts.terms.is_exact and not unsure_splits(facts):
        return say("Every split is the one that sampling without end would find: no chance is involved.")
    statuses = [status(facts, node) for node in splits]
    n, sure = len(splits), statuses.count(SURE) + statuses.count(EXACT)
    if sure == n:
        return say(
            "All {n} splits were decided by the test." if n > 1 else "The one split was decided by the test.",
            n=n,
        )
    column = statuses.count(COLUMN)
    sentence = say(
        "{sure} of {n} splits were decided by the test; {open} (marked **?** in the tree).",
        sure=sure,
        n=n,
        open=_open(statuses.count(THRESHOLD), column),
    )
    if sure:
        return sentence
    care = say(
        "**Read this tree with care: other made-up cases may well give another one.**"
        if column
        else "**Read its thresholds with care: other made-up cases may put them elsewhere.**"
    )
    return f"{care} {sentence}"


def _open(thresholds: int, columns: int) -> str:
    """Return in how many splits the threshold, and in how many the column, is open."""
    parts = [say("in {n} the exact threshold is uncertain", n=thresholds)] if thresholds else []
    parts += [say("in {n} another column may do as well", n=columns)] if columns else []
    return join(parts, "and")


def enough_words(levels: Sequence[FidelityLevel], enough: int, deepest: int) -> str:
    """Return the depth at which to stop, in Markdown; `deepest` is the greatest depth allowed."""
    last = levels[-1].depth
    if last == 0:
        return say("The tree asks nothing, so there is no depth to choose.")
    if enough < last:
        return say(
            "**Depth {n} is enough:** all deeper levels together remove less than 2 % of the error of a tree "
            "without questions.",
            n=enough,
        )
    if last == deepest:
        return say(
            "**Still gaining at depth {n}:** allow more questions to follow the model more closely.", n=last
        )
    return say(
        "**The one level adds something;** the rows allow no deeper tree."
        if last == 1
        else "**All {n} levels add something;** the rows allow no deeper tree.",
        n=last,
    )


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
            **({} if facts.terms.is_exact else {say("chance"): chances}),
        }
    )


def splits_table(facts: SplitFacts) -> pd.DataFrame:
    """Return every split of the tree: how sure it is, its number of made-up cases, and its closest rival."""
    table, start = facts.considered, facts.considered.runners.start
    splits = np.flatnonzero(facts.tree.feature != LEAF).tolist()
    rivals = [asks(facts, int(start[i]) + 1) if start[i + 1] - start[i] > 1 else say("none") for i in splits]
    return pd.DataFrame(
        {
            say("node"): splits,
            say("depth"): depths(facts.tree)[splits],
            say("asks"): [asks(facts, int(start[i])) for i in splits],
            say("sure"): [say(status(facts, i)) for i in splits],
            say("made-up cases"): table.n_samples[splits],
            say("sum of p"): table.p_value[splits],
            say("ahead by"): table.gap[splits],
            say("closest rival"): rivals,
            say("splits tried"): table.n_prospects[splits],
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


def order_words(arranged: Arranged, dataset: Dataset, is_chosen: bool, escaped: Callable[[str], str] = str) -> str:
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
    if all(order == tuple(range(len(order))) for order in (arranged.classes, arranged.columns)):  # as in the table
        return say("None of the other orders tried agrees better with the target: {result}.", result=so)
    other = percent(arranged.as_table) if is_share else number(round(arranged.as_table, 3))
    return say(
        "This order agrees best with the target: {result}; in the table's own order {other}.",
        result=so,
        other=other,
    )


def _explains(r2: float) -> str:
    return say("R² of its numbers is {r2}", r2=number(round(r2, 3)))


def warning(arranged: Arranged, dataset: Dataset, escaped: Callable[[str], str] = str) -> str:
    """Return a warning if the model is no better than a constant prediction; else empty."""
    if not arranged.is_useless:
        return ""
    ask = say("Are the columns in the right order?" if arranged.may_columns else "Is it a model of this table?")
    if dataset.is_classification:
        text = say(
            "**Hardly better than always saying {most}:** your model is right in {right} of the rows, always "
            "saying {most} in {baseline}."
            if arranged.right > arranged.baseline
            else "**No better than always saying {most}:** your model is right in {right} of the rows, always "
            "saying {most} in {baseline}.",
            most=escaped(dataset.classes[int(np.bincount(dataset.y).argmax())]),
            right=percent(arranged.right),
            baseline=percent(arranged.baseline),
        )
        return f"{text} {ask}"
    return f"{say('**No better than always saying the mean:** {result}.', result=_explains(arranged.right))} {ask}"


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
