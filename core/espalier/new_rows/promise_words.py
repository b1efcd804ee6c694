"""Promises as tables: what models and leaves name for new rows, how often it holds the truth, and the rule."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset
from espalier.display.text.trees import join, phrase_with_unit, says
from espalier.display.theme import count, number, percent, rounded_to
from espalier.language import say
from espalier.new_rows import promises
from espalier.new_rows.promises import LeafPromises, PromisedAnswers, Share
from espalier.tree.rules import leaf_bounds
from espalier.trees import Tree


def promises_table(promises: Sequence[tuple[str, PromisedAnswers]], classes: Sequence[str]) -> pd.DataFrame:
    """Return a column for each model (title, promise): how often it holds the truth, and what it names."""
    return pd.DataFrame({title: _cells(promise, classes) for title, promise in promises})


def _cells(promise: PromisedAnswers, classes: Sequence[str]) -> dict[str, str]:
    terms = promise.promised
    limit = float(terms.limits[0])
    inside = {say("truth inside"): _interval_words(terms.coverage)}
    if not len(promise.sizes):
        width = say("any number: too few rows") if math.isinf(limit) else f"± {number(limit)}"
        return inside | {say("interval of a new row"): width}
    least = min(range(len(classes)), key=lambda code: np.nan_to_num(terms.by_class[code].value, nan=2.0))
    return inside | {
        say("least of a class"): f"{classes[least]}: {_interval_words(terms.by_class[least])}",
        say("rows with one class"): _percentage(promise.sizes[0]),
        say("a class is named"): _from_share(limit),
    }


def _interval_words(share: Share) -> str:
    ends = {name: _percentage(getattr(share, name)) for name in ("value", "low", "high")}
    return say("{value} ({low} to {high})", **ends)


def _from_share(limit: float) -> str:
    """Return the least share that a class of the set has, by the limit of 1 − the share."""
    if limit >= 1:
        return say("always")
    if limit <= 0:
        return say("never")
    return say("from a share of {share}", share=percent(round(1 - limit, 3)))


def set_words(inside: Sequence[bool], classes: Sequence[str]) -> str:
    """Return the classes of one row's set: "benign or malignant"."""
    names = [name for is_inside, name in zip(inside, classes, strict=True) if is_inside]
    if len(names) == 1:
        return names[0]
    return say("{classes} or {last}", classes=", ".join(names[:-1]), last=names[-1])


# ---- the promises of leaves as a table: each leaf's rule, its answer, and what holds the truth of new rows in it


def leaves_table(leaves: LeafPromises, tree: Tree, data: Dataset) -> pd.DataFrame:
    """Return a row for each leaf, the heaviest first; of a tree of sums `data` has these as features."""
    missing = np.asarray(np.isnan(data.X).any(axis=0))
    rules = {
        leaf: join([phrase_with_unit(bound, data.features, missing) for bound in bounds], "and")
        for leaf, bounds in leaf_bounds(tree)
    }
    order = np.argsort(-tree.weight[leaves.node], kind="stable").tolist()
    lines = [
        {
            say("then"): says(tree, data.target, int(leaves.node[i])),
            say("truth of new rows"): promise_of(leaves, i, data.classes),
            say("rows held out"): count(int(leaves.n[i])),
            say("if"): rules[int(leaves.node[i])] or say("always"),  # last: a phone shows the first columns
        }
        for i in order
    ]
    return pd.DataFrame(lines)


def promise_of(leaves: LeafPromises, i: int, classes: tuple[str, ...]) -> str:
    """Return what holds the truth of new rows in leaf number i, or that its rows, or their groups, are too few."""
    if not leaves.is_promised[i]:
        n_needed = count(promises.units_needed(leaves.level))
        return say(
            "too few groups: {n} are needed" if leaves.in_groups else "too few rows: {n} are needed", n=n_needed
        )
    if classes:
        return set_words(leaves.sets[i].tolist(), classes)
    low, high = leaves.ends[i].tolist()
    text_of = rounded_to(leaves.ends.ravel())
    return say("{low} to {high}", low=text_of(low), high=text_of(high))


def _percentage(share: float) -> str:
    return percent(round(float(share), 3))
