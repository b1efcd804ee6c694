"""Cultivated trees in words: the modules of a node, the gate of a decision, and the way of a row to its answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text import values as moments
from espalier.display.text.trees import LISTS, category_words, class_words, is_words, join, thresholds
from espalier.display.text.values import side_words, subject
from espalier.display.theme import SURE_DIGITS, number, percent
from espalier.language import say
from espalier.tree.modules import CultivatedAnswer, gate_of_codes, gate_of_cuts
from espalier.tree.rules import Bound
from espalier.trees import CultivatedTree, path_to

MOST_NAMED = 3  # decisions of one module in a sentence


def node_decisions(tree: CultivatedTree, node: int) -> range:
    """Return the decisions of `node`, the best one first; none at a leaf."""
    return range(int(tree.decisions.start[node]), int(tree.decisions.start[node + 1]))


def listed_decisions(tree: CultivatedTree, node: int, most: int) -> list[int]:
    """Return at most `most` decisions of `node`: the best one, then by largest share and least impurity."""
    first, *rest = node_decisions(tree, node)
    share, impurity = tree.decisions.share, tree.decisions.impurity
    return [first, *sorted(rest, key=lambda d: (-share[d], impurity[d], d))[: most - 1]]


def cuts_of(tree: CultivatedTree, d: int) -> np.ndarray:
    """Return the neighbourhood T(t0) of decision d: its cuts that have a weight, ascending."""
    here = slice(tree.cuts.start[d], tree.cuts.start[d + 1])
    return tree.cuts.value[here][tree.cuts.weight[here] > 0]


def gate_of(tree: CultivatedTree, d: int, most: int = 1_000) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the gate of decision d on a number: the part of a sample that it sends left, in steps at its cuts.

    First the part of values up to the first cut (1, or 0 if the decision is reversed), then the cuts, (n_steps,)
    ascending, and the parts of values just above each of them. There are at most `most` steps, of about equal
    height, exact at the ends.
    """
    cut, part = gate_of_cuts(tree, d)
    increase = np.abs(part[1:] - part[0])  # increases from cut to cut, up to 1
    if len(cut) > most:
        places = np.unique(np.searchsorted(increase, np.arange(1, most + 1) / most - 1e-12))
    else:
        places = np.flatnonzero(np.isfinite(cut))  # all known values are left of an infinite one
    return float(part[0]), cut[places], part[1:][places]


# Words -----------------------------------------------------------------------------------------------


def decision_words(tree: CultivatedTree, features: Sequence[Feature], d: int, left: bool = True) -> str:
    """Return the condition under which a sample mostly goes left (right) at decision d: "petal length ≲ 2.45".

    ≲ and ≳ say that the decision hesitates around its threshold; with a single cut it is ≤ or >. Whole numbers are
    shown by the value on that side ("age ≲ 37", "age ≳ 38", "age ≥ 38"), categories as "colour is mostly red".
    """
    feature = features[int(tree.decisions.feature[d])]
    if feature.categories:
        return _category_words(tree, feature, d, left)
    below = left != bool(tree.decisions.reversed[d])
    soft, threshold = len(cuts_of(tree, d)) > 1, float(tree.decisions.threshold[d])
    if math.isinf(threshold):  # separates known from missing values
        return say("{name} is known" if below else "{name} is missing", name=subject(feature))
    above = "≥" if feature.is_whole else ">"
    if feature.moment is not None and not soft:
        ends = (-math.inf, threshold) if below else (threshold, math.inf)
        return f"{subject(feature)} {moments.range_words(feature, *ends)}"
    sign = ("≲" if below else "≳") if soft else ("≤" if below else above)
    return f"{subject(feature)} {sign} {side_words(feature, threshold, below)}"


def _category_words(tree: CultivatedTree, feature: Feature, d: int, left: bool) -> str:
    gates, occurring = gate_of_codes(tree, d, len(feature.categories)), _occurring(tree, feature, d)
    going = _mostly_left(gates, occurring)
    codes = np.flatnonzero(going if left else occurring & ~going)
    soft = bool(((gates > 0) & (gates < 1))[occurring].any())
    if not len(codes):
        return say("{name} is {value}", name=subject(feature), value=say("anything else"))
    if feature.moment is not None:
        names = moments.names_words(feature, codes.tolist())
        return f"{subject(feature)} {say('mostly {names}', names=names) if soft else names}"
    names = category_words(_bound(feature, codes), feature)
    return is_words(feature, say("mostly {names}", names=names) if soft else names)


def _bound(feature: Feature, codes: np.ndarray) -> Bound:
    """Return the categories as a bound; a run of ordered ones becomes a range, which takes fewer words."""
    if feature.kind == "ordered" and codes[-1] - codes[0] == len(codes) - 1:
        return Bound(0, codes[0] - 0.5, codes[-1] + 0.5)
    return Bound(0, categories=sum(1 << int(code) for code in codes))


def _occurring(tree: CultivatedTree, feature: Feature, d: int) -> np.ndarray:
    """Return which categories were in the node, (n_categories,) bool; all, if they are ordered."""
    occurring = np.zeros(len(feature.categories), bool)
    if not np.isnan(tree.decisions.threshold[d]):
        return ~occurring
    codes = tree.cuts.value[tree.cuts.start[d] : tree.cuts.start[d + 1]].astype(int)
    occurring[codes[codes < len(occurring)]] = True
    return occurring


def _mostly_left(gates: np.ndarray, met: np.ndarray) -> np.ndarray:
    """Return which categories mostly go left; if that is all or none of them, those that go left most."""
    left = (gates >= 0.5) & met
    if left.any() and (met & ~left).any():
        return left
    least, most = gates[met].min(), gates[met].max()
    return met & (gates == most if not left.any() else gates > least)


def cuts_words(tree: CultivatedTree, features: Sequence[Feature], d: int) -> str:
    """Return the neighbourhood of decision d: "cuts from 1.9 to 3"; empty for one cut, and for categories."""
    feature = features[int(tree.decisions.feature[d])]
    if feature.categories:
        return ""
    value = cuts_of(tree, d)
    if len(value) < 2:
        return ""
    return range_of_cuts(feature, value)


def range_of_cuts(feature: Feature, cuts: np.ndarray) -> str:
    """Return several ascending cuts in words: "cuts from 1.9 to 3"; of whole numbers "cuts between 2 and 4"."""
    return say("cuts {range}", range=neighbourhood_words(feature, cuts))


def neighbourhood_words(feature: Feature, cuts: np.ndarray) -> str:
    """Return the range of several ascending cuts: "from 1.9 to 3"; of whole numbers "between 2 and 4"."""
    first, last = float(cuts[0]), float(cuts[-1])
    if feature.is_whole:
        low, high = side_words(feature, first, True), side_words(feature, last, False)
        return say("between {low} and {high}", low=low, high=high)
    low, high = thresholds(first, last)
    if feature.moment is not None:
        low, high = side_words(feature, first, True), side_words(feature, last, True)
    return say("from {low} to {high}", low=low, high=high)


def module_words(tree: CultivatedTree, features: Sequence[Feature], node: int) -> list[str]:
    """Return the decisions of `node` as conditions of the left child, the best one first.

    "petal length ≲ 2.45 (share 52 %, cuts from 1.9 to 3)": shares are named if there are several options, and cuts
    if there are several of them. Empty at a leaf.
    """
    here = node_decisions(tree, node)
    lines = []
    for d in listed_decisions(tree, node, len(here)) if here else ():
        part = percent(float(tree.decisions.share[d]))
        share = say("share {share}", share=part) if len(here) > 1 else ""
        more = ", ".join(text for text in (share, cuts_words(tree, features, d)) if text)
        lines.append(decision_words(tree, features, d) + (f" ({more})" if more else ""))
    return lines


def leads_to(
    tree: CultivatedTree, features: Sequence[Feature], node: int, left: bool = True, most: int = MOST_NAMED
) -> str:
    """Return the condition of the left (right) child of `node`: "petal length ≲ 2.45 or petal width ≲ 0.8".

    Of more than `most` options the best are named, and the number of the others.
    """
    here = node_decisions(tree, node)
    texts = [decision_words(tree, features, d, left) for d in listed_decisions(tree, node, most)]
    more = [say("{n} more", n=len(here) - most)] if len(here) > most else []
    return join([*texts, *more], "or")


def conjunction(steps: Sequence[str]) -> str:
    """Return the lines of `way_words` as one: "(a or b) and c"."""
    either, both = (say(words, first="", last="") for words in (LISTS["or"], LISTS["and"]))
    return both.join(f"({step})" if either in step else step for step in steps)


def way_words(tree: CultivatedTree, features: Sequence[Feature], node: int, most: int = MOST_NAMED) -> list[str]:
    """Return the conditions from the root to `node`, one line per module on the path; empty for the root."""
    steps = itertools.pairwise(path_to(tree, node))
    return [leads_to(tree, features, up, bool(tree.left[up] == down), most) for up, down in steps]


# The way of a row ------------------------------------------------------------------------------------


def way(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    missing: np.ndarray | None = None,
    most: int | None = None,
) -> list[tuple[int, int, str]]:
    """Return the modules from the root down to `node`: its own node, the next one, and the side's condition.

    Empty for the root.

    `missing` is (n_features,) bool: features for which the words give the part of a missing value that takes the
    path. Of more than `most` options in a module, those with the largest shares are named, and the number of the
    others.
    """
    steps = itertools.pairwise(path_to(tree, node))
    return [
        (up, down, module_sentence(tree, features, up, bool(tree.left[up] == down), missing, most))
        for up, down in steps
    ]


def module_sentence(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    left: bool = True,
    missing: np.ndarray | None = None,
    most: int | None = None,
) -> str:
    """Return the module of `node` as the condition of its left (right) side.

    `missing` and `most` are as in `way`.
    """
    return "; ".join(options_table(tree, features, node, left, missing, most))


def options_table(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    left: bool = True,
    missing: np.ndarray | None = None,
    most: int | None = None,
) -> list[str]:
    """Return the options of a module one by one, as in `module`: the best one first, then by their shares."""
    shares = tree.decisions.share
    order = listed_decisions(tree, node, len(node_decisions(tree, node)))
    first = order if most is None or len(order) <= most + 1 else order[:most]
    parts = [_option(tree, features, d, left, missing) for d in first]
    if len(order) == 1:
        return parts
    parts = [f"{about(float(shares[d]))}: {text}" for d, text in zip(first, parts, strict=True)]
    rest = float(shares[order[len(first) :]].sum())
    if len(first) < len(order):
        parts.append(say("{share}: {n} more", share=about(rest), n=len(order) - len(first)))
    return parts


def _option(
    tree: CultivatedTree, features: Sequence[Feature], d: int, left: bool, missing: np.ndarray | None
) -> str:
    text = decision_words(tree, features, d, left)
    if missing is None or not missing[tree.decisions.feature[d]]:
        return text
    part = float(tree.decisions.missing_left[d])
    return say("{test} (of what is missing, {share})", test=text, share=about(part if left else 1 - part))


def about(share: float) -> str:
    """Return a share in whole percent, with more digits if it would read as 0 % or 100 %."""
    return percent(round(share, 2) if 0.01 <= share < 0.995 else share)


def answer_sentence(answer: CultivatedAnswer, target: Feature) -> str:
    """Return the answer and its spread: "versicolor: 0.62 ± 0.18, over 14 leaves", "151 ± 12, over 14 leaves"."""
    value, spread, name = summary_of_answer(answer, target)
    n = len(answer.leaves)
    name = name and class_words(target, answer.mean, str)
    text = f"{name + ': ' if name else ''}{_plain(value, spread)} ± {_plain(spread, spread)}"
    return say("{answer}, over {n} leaf" if n == 1 else "{answer}, over {n} leaves", answer=text, n=n)


def summary_of_answer(answer: CultivatedAnswer, target: Feature) -> tuple[float, float, str]:
    """Return the greatest share or the mean, its spread, and the class's name or "".

    With more than two classes, the spread is of that class's share alone; with two, it is the prediction's.
    """
    if not target.categories:
        return float(answer.mean[0]), answer.spread, ""
    best = int(np.argmax(answer.mean))
    return float(answer.mean[best]), share_spread(answer, best), target.categories[best]


def share_spread(answer: CultivatedAnswer, k: int) -> float:
    """Return the standard deviation of output k over the answer's leaves, by fractions."""
    return float(answer.spreads[k])


def _plain(x: float, spread: float) -> str:
    """Return x with as many decimal places as two digits of the spread need."""
    if spread <= 0:
        return number(x)
    places = max(1 - int(np.floor(np.log10(spread))), 0)
    return number(round(x, places), SURE_DIGITS)
