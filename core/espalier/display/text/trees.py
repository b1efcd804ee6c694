"""Trees and their answers in plain words: conditions, rules, and predictions.

Where several classes have the greatest share, none of them is the answer: words name them all, and the colour is
that of none. `espalier.predict` gives the first of them by rule, and so do exports. A share of few rows stands
with their number, since "100 %" of one row says little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.text.values import (
    behind,
    names_words,
    range_words,
    side_words,
    split_unit,
    subject,
    whole_range,
)
from espalier.display.theme import colours_of, count, is_long, percent, rounded_to, threshold
from espalier.inert import inert
from espalier.language import say, to_say
from espalier.predict import are_tied, leaders
from espalier.tree.nodes import ImpurityCurve
from espalier.tree.rules import ALL, N_BITS, Bound, admitted_codes, bounds, step
from espalier.trees import LEAF, AnyTree, Tree, path_to

FEW = 10  # rows: a share of fewer comes with their number
MOST_TIED = 4  # classes that are named; of more, so many and how many they are
TOLERANCE = 1e-6  # a product that is no further from a whole number counts rows


def class_words(target: Feature, shares: np.ndarray, written: Callable[[str], str] = inert) -> str:
    """Return the class with the greatest of the shares (n_classes,): "setosa", or "tie: setosa, versicolor".

    `written` makes each name safe for the place where the words stand.

    >>> kind = Feature("kind", "category", ("a", "b", "c"))
    >>> class_words(kind, np.array([0.5, 0.25, 0.25])), class_words(kind, np.array([0.25, 0.375, 0.375]))
    ('a', 'tie: b, c')
    """
    codes = leaders(shares)
    names = [written(target.categories[k]) for k in codes[: MOST_TIED if len(codes) > 1 else 1]]
    if len(codes) == 1:
        return names[0]
    if (left := len(codes) - len(names)) > 0:
        names.append(say("{n} class more" if left == 1 else "{n} classes more", n=left))
    return say("tie: {classes}", classes=", ".join(names))


def share_words(share: float, n: int | None) -> str:
    """Return a share of n rows: "98 %", of fewer than ten "3 of 4"; n is None where no rows are behind it.

    A share that is no number of rows, because they have weights, stands before them.

    >>> share_words(0.75, 40), share_words(0.75, 4), share_words(0.3, 4), share_words(1.0, 1)
    ('75 %', '3 of 4', '30 % (4 rows)', '1 of 1')
    """
    if n is None or n >= FEW:
        return percent(round(share, 9))
    k = share * n
    if abs(k - round(k)) <= TOLERANCE:
        return say("{k} of {n}", k=round(k), n=n)
    return say("{share} ({n} row)" if n == 1 else "{share} ({n} rows)", share=percent(round(share, 9)), n=n)


def answer_share(shares: np.ndarray, n: int | None) -> str:
    """Return `share_words` of the greatest of the shares (n_classes,); of classes that tie, that it is of each."""
    words = share_words(float(shares.max()), n)
    return words if len(leaders(shares)) == 1 else say("{share} each", share=words)


def class_answer(target: Feature, shares: np.ndarray, n: int | None, written: Callable[[str], str] = inert) -> str:
    """Return class and share: "setosa, 98 %", "setosa, 3 of 4", or "tie: setosa, versicolor, 2 of 4 each"."""
    return f"{class_words(target, shares, written)}, {answer_share(shares, n)}"


def class_fills(target: Feature, shares: np.ndarray, dark: bool) -> list[str]:
    """Return the colour of each row of shares (n, n_classes): of the class that leads; where some tie, of none."""
    theme = ink.theme_of(dark)
    palette: Sequence[str] = colours_of(target)[theme]
    each = zip(shares.argmax(axis=1).tolist(), are_tied(shares).tolist(), strict=True)
    return [ink.TIE[theme] if is_tied else palette[k] for k, is_tied in each]


# Conditions and rules --------------------------------------------------------------------------------

MAX_NAMES = 4  # up to so many categories are all named; of more, the first three and their number
LISTS = {"or": to_say("{first} or {last}"), "and": to_say("{first} and {last}")}  # of parts, by the last word
NOTHING: Mapping[int, Sequence[float]] = MappingProxyType({})  # beside a threshold
ALL_NAMES = N_BITS  # the greatest number of categories: files name them all


def condition(
    tree: Tree,
    features: Sequence[Feature],
    node: int,
    left: bool = True,
    missing: np.ndarray | None = None,
) -> str:
    """Return the condition under which a sample goes left (or right) at `node`: "petal width ≤ 0.8".

    `missing` is (n_features,) bool: the features with missing values, for which the text says where
    these go ("or missing"). Without it, missing values are named only where nothing else splits the samples.
    Raises ValueError at a leaf.
    """
    if tree.feature[node] == LEAF:
        raise ValueError(f"node {node} is a leaf and splits on nothing")
    f, cut = int(tree.feature[node]), float(tree.threshold[node])
    beside = thresholds_of(tree, f) if is_long(cut) else NOTHING
    return phrase(step(tree, node, left), features, missing, beside=beside)


def curve_condition(curve: ImpurityCurve, feature: Feature, cut: float) -> str:
    """Return the condition to go left at a cut of an impurity curve: "x ≤ 0.8", "colour is red or blue"."""
    if len(curve.order):
        codes = [int(code) for code in curve.order[: int(cut)]]
        if feature.moment is not None:
            return f"{subject(feature)} {names_words(feature, sorted(codes))}"
        names = [feature.categories[code] for code in codes]
        return is_words(feature, join(names, "or") if len(names) <= MAX_NAMES else one_of(names, MAX_NAMES + 1))
    if cut == math.inf:
        return say("{name} is known", name=subject(feature))
    if feature.categories:
        first = list(feature.categories[: math.floor(cut) + 1])
        return is_words(feature, say("at most {high}", high=first[-1]) if len(first) > 1 else first[0])
    words = "" if feature.moment is None else range_words(feature, -math.inf, cut)
    return f"{subject(feature)} {words or f'≤ {side_words(feature, cut, True)}'}"


def thresholds_of(tree: Tree, only: int | None = None) -> dict[int, list[float]]:
    """Return the different thresholds of a tree by feature, of all or `only` one: texts tell these apart."""
    splits = np.isfinite(tree.threshold)
    columns = np.unique(tree.feature[splits]).tolist() if only is None else [only]
    return {f: np.unique(tree.threshold[splits & (tree.feature == f)]).tolist() for f in columns}


def rule(
    tree: Tree,
    features: Sequence[Feature],
    node: int,
    missing: np.ndarray | None = None,
    exact: bool = False,
) -> list[str]:
    """Return the conditions to reach `node`, one per feature; empty for the root.

    `exact` writes every digit of long thresholds, and names all categories. Whole numbers are still written as
    "3 or more", which is exact, and units stay in the columns' names. `missing` is as in `condition`.
    """
    if exact:
        return [phrase(bound, features, missing, exact) for bound in bounds(tree, node)]
    beside = thresholds_of(tree)
    return [phrase_with_unit(bound, features, missing, beside) for bound in bounds(tree, node)]


def phrase_with_unit(
    bound: Bound,
    features: Sequence[Feature],
    missing: np.ndarray | None = None,
    beside: Mapping[int, Sequence[float]] = NOTHING,
) -> str:
    """Return a bound in words, as `phrase`, with the unit behind a number: "petal width ≤ 0.8 cm"."""
    feature = features[bound.feature]
    name, unit = split_unit(feature)
    if not unit or demands_presence(bound, feature) or admits_no_value(bound, feature):
        return phrase(bound, features, missing, beside=beside)
    or_missing = bound.missing and missing is not None and bool(missing[bound.feature])
    cuts = beside.get(bound.feature, ())
    return _or_missing(_range(bound, feature._replace(name=name), False, cuts, behind(unit)), or_missing)


def phrase(
    bound: Bound,
    features: Sequence[Feature],
    missing: np.ndarray | None = None,
    exact: bool = False,
    beside: Mapping[int, Sequence[float]] = NOTHING,
) -> str:
    """Return a bound in words: "0.8 < petal width ≤ 1.75", "age is 3 or more", "colour is red or blue".

    `beside` are the thresholds that are to be told from the bound's, by feature (`thresholds_of` a tree).
    """
    feature = features[bound.feature]
    or_missing = bound.missing and missing is not None and bool(missing[bound.feature])
    if demands_presence(bound, feature):
        return say("{name} is known", name=subject(feature))
    if admits_no_value(bound, feature):
        return say("{name} is missing" if bound.missing else "{name} is impossible", name=subject(feature))
    if feature.moment is not None and (words := moment_words(bound, feature)):
        return _or_missing(f"{subject(feature)} {words}", or_missing)
    if feature.categories or bound.categories != ALL:
        return is_words(feature, category_words(bound, feature, or_missing, ALL_NAMES if exact else MAX_NAMES))
    return _or_missing(_range(bound, feature, exact, beside.get(bound.feature, ())), or_missing)


def is_words(feature: Feature, value: str) -> str:
    """Return that a feature has a value: "colour is red"."""
    return say("{name} is {value}", name=inert(feature.name), value=value)


def _or_missing(text: str, or_missing: bool) -> str:
    return say("{condition} or missing", condition=text) if or_missing else text


def moment_words(bound: Bound, feature: Feature) -> str:
    """Return the known dates or times that the bound admits: "in December"; empty for other features."""
    if feature.moment is None:
        return ""
    if feature.categories:
        return names_words(feature, admitted_codes(bound, len(feature.categories)))
    return range_words(feature, bound.low, bound.high)


def demands_presence(bound: Bound, feature: Feature) -> bool:
    """Return whether the bound admits every known value but no missing one."""
    if bound.missing:
        return False
    if feature.categories:
        return len(admitted_codes(bound, len(feature.categories))) == len(feature.categories)
    return not bound.is_threshold and bound.categories == ALL and bound.low < bound.high


def admits_no_value(bound: Bound, feature: Feature) -> bool:
    """Return whether the bound admits no known value."""
    return bound.is_empty or bool(feature.categories and not admitted_codes(bound, len(feature.categories)))


def _range(bound: Bound, feature: Feature, exact: bool, beside: Sequence[float], unit: str = "") -> str:
    name = inert(feature.name)
    if numbers := whole_range(feature, bound.low, bound.high, unit):
        return is_words(feature, numbers)
    low, high = thresholds(bound.low, bound.high, exact, beside, feature.spread)
    if math.isinf(bound.low):
        return f"{name} ≤ {high}{unit}" if math.isfinite(bound.high) else is_words(feature, say("anything"))
    if math.isinf(bound.high):
        return f"{name} > {low}{unit}"
    return f"{low} < {name} ≤ {high}{unit}"


def thresholds(
    low: float, high: float, exact: bool = False, beside: Sequence[float] = (), spread: float = 0.0
) -> tuple[str, str]:
    """Return both ends of a range as text, with enough digits to tell them apart, and from those beside them."""
    return threshold(low, exact, [*beside, high], spread), threshold(high, exact, [*beside, low], spread)


def category_words(bound: Bound, feature: Feature, or_missing: bool = False, most: int = MAX_NAMES) -> str:
    """Return the categories that the bound admits, by name: "red or blue", "not red", "at most school".

    Of more than `most`, the first ones are named, and their number.
    """
    n = len(feature.categories) or N_BITS
    codes = admitted_codes(bound, n)
    if feature.kind == "ordered" and bound.categories == ALL and len(codes) > 1:
        return _or_missing(_levels(codes, feature), or_missing)
    rest = sorted(set(range(n)) - set(codes))
    if 0 < len(rest) < len(codes) and len(codes) > 2:
        return _or_missing(_none_of(rest, feature, most), or_missing)
    return _one_of(codes, feature, or_missing, most)


def _none_of(codes: list[int], feature: Feature, most: int) -> str:
    if len(codes) == 1:
        return say("not {name}", name=_name(feature, codes[0]))
    return say("none of {names}", names=_names(codes, feature, most))


def _levels(codes: list[int], feature: Feature) -> str:
    first, last = _name(feature, codes[0]), _name(feature, codes[-1])
    if codes[0] == 0:
        return say("at most {high}", high=last) if len(codes) < len(feature.categories) else say("anything")
    if codes[-1] == len(feature.categories) - 1:
        return say("above {low}", low=_name(feature, codes[0] - 1))
    return say("from {low} to {high}", low=first, high=last)


def _one_of(codes: list[int], feature: Feature, or_missing: bool, most: int) -> str:
    if len(codes) > most:
        return _or_missing(one_of([_name(feature, c) for c in codes], most), or_missing)
    return join([_name(feature, c) for c in codes] + ([say("missing")] if or_missing else []), "or")


def one_of(names: Sequence[str], most: int) -> str:
    """Return more names than `most` in short: "one of 7: red, blue, green, …"."""
    return say("one of {n}: {names}", n=len(names), names=f"{', '.join(names[: most - 1])}, …")


def _names(codes: list[int], feature: Feature, most: int) -> str:
    first = codes if len(codes) <= most else codes[: most - 1]
    return ", ".join(_name(feature, c) for c in first) + (", …" if len(first) < len(codes) else "")


def _name(feature: Feature, code: int) -> str:
    return inert(feature.categories[code]) if code < len(feature.categories) else str(code)


def join(parts: Sequence[str], word: str) -> str:
    """Return the parts as a list in a sentence, with "and" or "or": "a", "a or b", "a, b or c"."""
    if len(parts) < 2:
        return "".join(parts)
    return say(LISTS[word], first=", ".join(parts[:-1]), last=parts[-1])


def says(tree: AnyTree, target: Feature, node: int, written: Callable[[float], str] | None = None) -> str:
    """Return the prediction of `node`: "setosa, 98 %", or "mean 151"; "median 151" as the target's centre is.

    Classes that tie, and shares of few rows, are said as `display.text.trees` says them.

    Numbers are rounded to tell the tree's nodes apart; who writes many gives what `answers_of` the tree returns.
    """
    if not target.categories:
        value = (written or answers_of(tree))(float(tree.value[node, 0]))
        return (
            say("median {median}", median=value) if target.centre == "median" else say("mean {mean}", mean=value)
        )
    return class_answer(target, tree.value[node], int(tree.n_samples[node]))


def answers_of(*trees: AnyTree) -> Callable[[float], str]:
    """Return how the numbers that a tree predicts are written: rounded by the spread of those of its nodes.

    Of several trees that stand side by side, it is by the spread of all of them.
    """
    return rounded_to(np.concatenate([tree.value[:, 0] for tree in trees]))


def describe(tree: Tree, features: Sequence[Feature], target: Feature, node: int) -> str:
    """Return a sentence on a node for a screen reader: its kind, its rows, its prediction and its split."""
    place = say("the root") if node == 0 else say("depth {n}", n=len(path_to(tree, node)) - 1)
    where = ", ".join(filter(None, (place, join(rule(tree, features, node), "and"))))
    values = {"node": node, "where": where, "rows": rows_words(int(tree.n_samples[node]))}
    values |= {"answer": says(tree, target, node)}
    if tree.feature[node] == LEAF:
        return say("Leaf {node}, {where}: {rows}, {answer}.", **values)
    test = condition(tree, features, node)
    return say("Node {node}, {where}: {rows}, {answer}; splits on {test}.", **values, test=test)


def node_parts(tree: AnyTree, target: Feature, node: int, size: str, answer: str = "") -> list[str]:
    """Return a node in short, in four parts: its kind and number, a verb, its answer, and its size."""
    answer = answer or says(tree, target, node)
    kind = say("Root") if node == 0 else f"{say('Leaf') if tree.feature[node] == LEAF else say('Node')} {node}"
    is_tied = bool(target.categories) and len(leaders(tree.value[node])) > 1
    verb = " · " if is_tied else ": " if answer.endswith(".") else say(" says ")  # of a tie it says none
    return [kind, verb, answer, f" · {size}"]


def rows_and_share(n: int, share: float) -> str:
    """Return a number of rows with its share of all: "36 rows, 24 %"."""
    return say("{n} row, {share}" if n == 1 else "{n} rows, {share}", n=count(n), share=percent(share))


def rule_line(conditions: Sequence[str]) -> str:
    """Return the rule of a node on one line."""
    return say("if ") + say(" and ").join(conditions) if conditions else say("Every row starts here.")


def rows_words(n: int) -> str:
    """Return a number of rows: "1 row", "1,200 rows"."""
    return say("{n} row" if n == 1 else "{n} rows", n=count(n))


CRITERIA = {
    "gini": to_say("gini"),
    "entropy": to_say("entropy"),
    "log_loss": to_say("log loss"),
    "gain_ratio": to_say("gain ratio"),
    "misclassification": to_say("misclassification"),
    "squared_error": to_say("squared error"),
    "friedman_mse": to_say("friedman mse"),
    "absolute_error": to_say("absolute error"),
    "poisson": to_say("poisson"),
    "impurity": to_say("impurity"),
}


def criterion_words(criterion: str) -> str:
    """Return the criterion of a learner as it stands before an impurity; one that is not ours as it is.

    >>> criterion_words("squared_error")
    'squared error'
    """
    return say(CRITERIA[criterion]) if criterion in CRITERIA else criterion.replace("_", " ")
