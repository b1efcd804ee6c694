"""Splits of special kinds in words: by surrogates, by weighted sums of columns, and changed by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from espalier.data.dataset import Feature
from espalier.display.text.trees import condition, phrase
from espalier.display.theme import count, percent, threshold
from espalier.inert import inert
from espalier.language import say, to_say
from espalier.oblique import ObliqueTree
from espalier.tree.editing import EditRefused
from espalier.tree.edits import BEST, COLUMN, CUT, GREEDY, GROW, MADE_LEAF, SET, WITHOUT, Edit
from espalier.tree.rules import Bound, Slant, deciders, oblique_step, surrogate_tests
from espalier.trees import LEAF, Tree

MOST_LINES = 3  # surrogates that a drawing lists at a node


def surrogate_words(tree: Tree, features: Sequence[Feature], node: int) -> list[str]:
    """Return what decides at a node where its value is missing, a line each; empty without surrogates."""
    tests = surrogate_tests(tree, node)
    lines = [
        say("yes if {test} (agrees in {share})", test=phrase(bound, features), share=percent(agreement))
        for bound, agreement in tests
    ]
    left = tree.missing_left[node]
    rest = say("yes where all of these are missing" if left else "no where all of these are missing")
    return [*lines, rest] if lines else []


def surrogate_lines(tree: Tree, features: Sequence[Feature], node: int) -> list[str]:
    """Return what decides at a node where its value is missing in a few short lines; empty without surrogates."""
    tests = surrogate_tests(tree, node)
    lines = [say("else, if {test}", test=phrase(bound, features)) for bound, _ in tests[:MOST_LINES]]
    more = [say("… {n} more", n=len(tests) - MOST_LINES)] if len(tests) > MOST_LINES else []
    otherwise = say("else yes" if tree.missing_left[node] else "else no")
    return [say("where missing:"), *lines, *more, otherwise] if lines else []


def surrogate_table(tree: Tree, features: Sequence[Feature], node: int, X: np.ndarray) -> pd.DataFrame:
    """Return a node's surrogates as a table, with how many of X, the rows in the node, each decides about."""
    tests, n = surrogate_tests(tree, node), deciders(tree, node, X)
    return pd.DataFrame(
        {
            say("goes left if"): [inert(phrase(bound, features)) for bound, _ in tests],
            say("agrees"): [percent(agreement) for _, agreement in tests],
            say("rows decided"): n[:-1],
        }
    )


def surrogate_caption(tree: Tree, node: int, left_over: int) -> str:
    """Return what the table says, and where rows go that no surrogate decides about."""
    words = say(
        "Surrogate splits: where the value is missing, the first of these columns with a value decides. So many "
        "of the rows with both values go the same way as by the split."
    )
    side = say("left") if tree.missing_left[node] else say("right")
    rest = say(
        "{n} row has none of these values and goes to the larger side, {side}."
        if left_over == 1
        else "{n} rows have none of these values and go to the larger side, {side}.",
        n=count(left_over),
        side=side,
    )
    return f"{words} {rest}"


# Oblique splits --------------------------------------------------------------------------------------


def slant_words(slant: Slant, features: Sequence[Feature], exact: bool = False) -> str:
    """Return the condition of a slanted split; `exact` writes every digit of its numbers.

    >>> slant_words(Slant((0, 1), (1.0, -2.0), 7.3, True), (Feature("length"), Feature("width")))
    'length − 2 width ≤ 7.3'
    """
    total = sum_words(slant.feature, slant.coefficient, features, exact)
    return f"{total} {'≤' if slant.left else '>'} {threshold(slant.threshold, exact)}"


def sum_words(
    feature: Sequence[int], coefficient: Sequence[float], features: Sequence[Feature], exact: bool = False
) -> str:
    """Return a weighted sum of features.

    >>> sum_words((0, 1), (1.0, -2.0), (Feature("length"), Feature("width")))
    'length − 2 width'
    """
    words = ""
    for f, c in zip(feature, coefficient, strict=True):
        sign = " − " if c < 0 else " + "
        size = "" if abs(c) == 1 else f"{threshold(abs(c), exact)} "
        words += (sign if words or c < 0 else "") + size + features[f].name
    return words.strip()


def oblique_condition(tree: ObliqueTree, features: Sequence[Feature], node: int) -> str:
    """Return the condition under which a sample goes left at a split of an oblique tree."""
    return demand_words(oblique_step(tree, node, left=True), features)


def demand_words(demand: Bound | Slant, features: Sequence[Feature], exact: bool = False) -> str:
    """Return a bound or a slant in words."""
    if isinstance(demand, Slant):
        return slant_words(demand, features, exact)
    return phrase(demand, features, exact=exact)


# Changes by hand -------------------------------------------------------------------------------------

EDIT_KINDS = {
    CUT: to_say("split chosen by hand"),
    SET: to_say("split chosen by hand"),
    COLUMN: to_say("column chosen by hand"),
    WITHOUT: to_say("columns left out by hand"),
    MADE_LEAF: to_say("made a leaf by hand"),
    GROW: to_say("grown on by hand"),
    GREEDY: to_say("branch regrown greedily by hand"),
    BEST: to_say("branch regrown optimally by hand"),
}
HEAD = "Changed by hand:"
STEPS = {"L": to_say("yes"), "R": to_say("no")}


def kind_words(edit: Edit) -> str:
    """Return what was chosen by hand, in short.

    >>> kind_words(Edit("", CUT, (2,), 4.5))
    'split chosen by hand'
    """
    return say(EDIT_KINDS[edit.kind])


def change_words(tree: Tree, features: Sequence[Feature], by_hand: Mapping[int, Edit]) -> list[str]:
    """Return a line for each node that was changed by hand: "node 0, petal length ≤ 4.5: split chosen by hand"."""
    return [_line(tree, features, node, by_hand[node]) for node in sorted(by_hand)]


def _line(tree: Tree, features: Sequence[Feature], node: int, edit: Edit) -> str:
    columns = ", ".join(features[feature].name for feature in edit.features)
    change = f"{kind_words(edit)} ({columns})" if edit.kind == WITHOUT else kind_words(edit)
    if edit.depth:
        change = say("{change}, to depth {depth}", change=change, depth=edit.depth)
    if tree.feature[node] == LEAF:
        return say("node {node}: {change}", node=node, change=change)
    test = condition(tree, features, node)
    return say("node {node}, {test}: {change}", node=node, test=test, change=change)


def refused_words(refused: EditRefused) -> str:
    """Return why a change by hand is left out, as a sentence.

    >>> refused_words(EditRefused(Edit("LR", MADE_LEAF), "the tree has no such node"))
    'The change at the node after yes, no is left out: the tree has no such node.'
    """
    answers = ", ".join(say(STEPS[step]) for step in refused.edit.path)
    if not answers:
        return say("The change at the root is left out: {reason}.", reason=refused)
    return say("The change at the node after {answers} is left out: {reason}.", answers=answers, reason=refused)


def add_changes(text: str, changes: Sequence[str], comment: str | None) -> str:
    """Return the text of an exported tree with its changes at the head, each in a line that begins with `comment`.

    In a JSON document, where `comment` is None, they are a list under "by_hand", which readers of trees pass over.

    >>> print(add_changes("def f(row): ...", ["node 0: made a leaf by hand"], "# "))
    # Changed by hand:
    #   node 0: made a leaf by hand
    def f(row): ...
    >>> add_changes('{"nodes": []}', ["node 0: made a leaf by hand"], None)
    '{"by_hand": ["node 0: made a leaf by hand"],\\n"nodes": []}'
    """
    if not changes:
        return text
    if comment is None:
        return f'{{"by_hand": {json.dumps(list(changes), ensure_ascii=False)},\n{text.removeprefix("{")}'
    lines = [HEAD, *(f"  {' '.join(change.split())}" for change in changes)]  # names may have line breaks
    return "".join(f"{comment}{line}\n" for line in lines) + text
