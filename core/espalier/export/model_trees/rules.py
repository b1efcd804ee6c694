"""A model tree as rules to read: one for each leaf, with its formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.trees import phrase
from espalier.display.theme import count, percent
from espalier.display.tree.cards import is_weighted
from espalier.export.columns import one_line
from espalier.leaf_models import ModelTree, formula_features
from espalier.model_trees.formulas import EXACT_DIGITS, by_reach, code_words, formula_lines, limit_words
from espalier.tree.rules import leaf_bounds

LEGEND = """\
A formula takes no value beyond those that the rows of its leaf have ("from 2 to 4.4"): a lower one counts as the
least, a higher one as the greatest. {end}
Numbers are rounded to {digits} digits; the exports as Python, SQL and JSON have all.
"""
ENDS = {
    "identity": "No prediction is beyond the numbers that the tree was grown on.",
    "logistic": "Log odds of 0 are a share of 50 %, 1 is 73 %, 2 is 88 %; odds below 0 speak for the first class.",
    "softmax": "The class with the greatest score is predicted; its share is exp(score) / sum of exp(all scores).",
}


def to_rules(
    model: ModelTree, features: Sequence[Feature], target: Feature, missing: np.ndarray | None = None
) -> str:
    """Return one rule for each leaf, the heaviest first, with its conditions and its formula.

    `missing` is (n_features,) bool: the features for which each rule says whether missing values follow it.
    """
    tree = model.tree
    title = f"Model tree for {one_line(target.name)}: {count(tree.n_leaves)} leaves, depth {tree.depth}, "
    legend = LEGEND.format(end=ENDS[model.models.link], digits=EXACT_DIGITS)
    codes = "".join(f"{one_line(line)}.\n" for line in code_words(features, formula_features(model.models)))
    blocks = [f"{title}{count(tree.n_samples[0])} rows\n\n{legend}{codes}"]
    leaves = sorted(leaf_bounds(tree), key=lambda leaf: -tree.weight[leaf[0]])
    for place, (leaf, bounds) in enumerate(leaves, start=1):
        demands = [phrase(bound, features, missing, exact=True) for bound in bounds]
        formulas = [*formula_lines(model, features, target, leaf, EXACT_DIGITS), *_limits(model, features, leaf)]
        blocks.append("\n".join([_size(model, leaf, place), *_indented(demands), *_below(formulas)]) + "\n")
    return "\n".join(blocks)


def _size(model: ModelTree, leaf: int, place: int) -> str:
    tree = model.tree
    share = percent(float(tree.weight[leaf] / max(tree.weight[0], 1e-300)))
    return (
        f"{place}. n = {count(tree.n_samples[leaf])}, {share} of the {'weight' if is_weighted(tree) else 'rows'}"
    )


def _indented(demands: Sequence[str]) -> Iterator[str]:
    for word, demand in zip(["if"] + ["and"] * len(demands), demands, strict=False):
        yield f"   {word:>3} {one_line(demand)}"


def _below(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"   {one_line(line)}"


def _limits(model: ModelTree, features: Sequence[Feature], leaf: int) -> list[str]:
    terms = by_reach(model, leaf)
    return [f"where {'; '.join(limit_words(term, features) for term in terms)}"] if terms else []
