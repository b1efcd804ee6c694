"""A tree as rules to read: one for each leaf."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.splits import surrogate_words
from espalier.display.text.trees import answers_of, condition, phrase, says
from espalier.display.theme import count, number, percent
from espalier.display.tree.cards import is_weighted
from espalier.export.columns import one_line
from espalier.tree.rules import leaf_bounds
from espalier.trees import LEAF, AnyTree, Tree


def to_rules(tree: Tree, features: Sequence[Feature], target: Feature, missing: np.ndarray | None = None) -> str:
    """Return one rule for each leaf, the heaviest first, with its prediction, its samples and its class shares.

    `missing` is (n_features,) bool: the features for which each rule says whether missing values follow it.
    """
    leaves = sorted(leaf_bounds(tree), key=lambda leaf: -tree.weight[leaf[0]])
    title = f"Decision tree for {one_line(target.name)}: {count(tree.n_leaves)} leaves, depth {tree.depth}, "
    blocks = [f"{title}{count(tree.n_samples[0])} rows\n{_whole_words(tree, features)}"]
    written = answers_of(tree)
    for i, (node, bounds) in enumerate(leaves, start=1):
        demands = [phrase(bound, features, missing, exact=True) for bound in bounds]
        blocks.append(leaf_block(tree, target, node, f"{i}. ", demands, written))
    return "\n".join([*blocks, *_stand_ins(tree, features)])


def _stand_ins(tree: Tree, features: Sequence[Feature]) -> list[str]:
    """Return a block on the surrogate splits of every question that has any."""
    lines = []
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        if words := surrogate_words(tree, features, node):
            question = f"{condition(tree, features, node)}? (n = {count(tree.n_samples[node])})"
            lines += [one_line(question), *(f"   {one_line(text)}" for text in words)]
    head = "Where a value is missing, other columns decide, the first whose value is known:"
    return ["\n".join([head, *lines]) + "\n"] if lines else []


def _whole_words(tree: Tree, features: Sequence[Feature]) -> str:
    """Return the note on what "at most 2" means in columns of whole numbers that the tree splits on."""
    asked = sorted({int(f) for f in tree.feature if f != LEAF and features[f].is_whole and not features[f].moment})
    if not asked:
        return ""
    names = one_line(", ".join(features[f].name for f in asked))
    return f"(Whole numbers only: {names}. The exports as Python, SQL and JSON have their exact thresholds.)\n"


def leaf_block(
    tree: AnyTree, target: Feature, node: int, mark: str, demands: list[str], written: Callable[[float], str]
) -> str:
    """Return the rule of a leaf: its prediction, its size, the conditions in words, and its shares."""
    share = percent(float(tree.weight[node] / max(tree.weight[0], 1e-300)))
    counted = "weight" if is_weighted(tree) else "rows"
    indent = " " * len(mark)
    size = f"n = {count(tree.n_samples[node])}, {share} of the {counted}"
    lines = [f"{mark}{one_line(says(tree, target, node, written))}  ({size})"]
    for word, demand in zip(["if"] + ["and"] * len(demands), demands, strict=False):
        lines.append(f"{indent}{word:>3} {one_line(demand)}")
    if target.categories:
        lines.append(f"{indent}shares: {_shares(tree, target, node)}")
    else:
        lines.append(f"{indent}impurity: {number(float(tree.impurity[node]))}")
    return "\n".join(lines) + "\n"


def _shares(tree: AnyTree, target: Feature, node: int) -> str:
    shares = zip(target.categories, tree.value[node], strict=True)
    return one_line(", ".join(f"{name} {percent(float(share))}" for name, share in shares if share > 0))
