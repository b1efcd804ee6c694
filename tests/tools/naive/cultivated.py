"""The obvious cultivated tree: nodes as nested records, every cut tried on its own, no running sums.

Written from Nalenz & Augustin (2021) and the readings that its docstrings state. It notes how narrow its
narrowest decision was, so that where the fast version differs a test can tell a tie from a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

TIE = 1e-10  # impurities that differ by less are equal
LEAST_GAIN = 1e-9
RIDGE = 0.5  # of a cut's gain
FULL = 1e-12  # of k: less room than this on a side of the neighbourhood is none
DROPPED = 1e-15


class Decision(NamedTuple):
    feature: int
    threshold: float  # t0; nan for categories
    reversed: bool
    share: float
    missing_left: float
    impurity: float  # h_j
    cuts: list[tuple[float, float]]  # value and phi; categories in the order of their mean target


class Node(NamedTuple):
    n_samples: int
    weight: float
    value: list[float]
    impurity: float
    decisions: tuple[Decision, ...] = ()
    left: Any = None
    right: Any = None
    margin: float = (
        np.inf
    )  # how clear its narrowest decision was, in units of what rounding may do: below 1, a tie


class Table(NamedTuple):
    """What to learn from; y has class numbers, or numbers if n_classes is 0."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    n_classes: int
    categorical: list[int]


class Rules(NamedTuple):
    max_depth: int = 14
    min_weight: float = 6
    eta: float = 0.3
    k: Callable[[float], float] = np.sqrt  # of the node's weight
    min_fraction: float = 0.0
    share_power: float = 0.0
    midway: bool = True  # cuts lie between a node's values, else on them
    min_leaf_weight: float = 0.0
    neighbourhoods: int = 1  # at most, of one feature that is a number


class Cuts(NamedTuple):
    """The values of a feature in a node, and the cut after each; that after the last one parts nothing."""

    feature: int
    values: list[float]
    after: list[float]  # impurity
    allowed: list[bool]


Split = tuple[Decision, np.ndarray]  # not yet directed, and how shares change across it


class Growing(NamedTuple):
    table: Table
    rules: Rules
    unit: float  # of impurities: eta and the tolerances are multiples of it
    margins: list[float]  # of the decisions taken in the node at hand
    tolerance: float = 0.0  # of its module


def grow(table: Table, rules: Rules) -> Node:
    """The tree; the tolerances of regression are in units of twice the variance at the root."""
    unit = 1.0 if table.n_classes else max(2 * impurity(table, table.weight), 1e-300)
    return _node(Growing(table, rules, unit, []), table.weight, 1)


def shares(table: Table, w: np.ndarray) -> np.ndarray:
    """Mean target of the samples with weights w: shares of the classes, or one number."""
    if not table.n_classes:
        return np.array([np.average(table.y, weights=w)])
    return np.array([w[table.y == c].sum() for c in range(table.n_classes)]) / w.sum()


def impurity(table: Table, w: np.ndarray) -> float:
    """Gini or variance of the samples with weights w; of nothing it is 0."""
    if w.sum() <= 0:
        return 0.0
    if not table.n_classes:
        return float(np.average((table.y - shares(table, w)[0]) ** 2, weights=w))
    return float(1 - (shares(table, w) ** 2).sum())


def _less(growing: Growing, a: float, b: float, scale: float) -> bool:
    """Whether a < b; the scale is what rounding may not reach."""
    growing.margins.append(abs(a - b) / scale)
    return a < b


def _node(growing: Growing, w: np.ndarray, s: int) -> Node:
    """Grow the node of depth s (the root has 1) whose samples have the weights w, 0 for those elsewhere."""
    growing = growing._replace(margins=[np.inf], tolerance=growing.rules.eta * growing.unit / s**3)
    table = growing.table
    decisions = _module(growing, w) if _may_split(growing, w, s) else ()
    children = _children(growing, w, pooled(decisions, table.X))
    mean = list(shares(table, w))
    here = Node(int((w > 0).sum()), w.sum(), mean, impurity(table, w), margin=min(growing.margins))
    if not decisions or not all(c.any() for c in children):
        return here
    least = growing.rules.min_leaf_weight * (1 - 1e-12)
    light = [least > 0 and _less(growing, c.sum(), least, 1e-12 * least) for c in children]
    if any(light):
        return here._replace(margin=min(growing.margins))
    left, right = (_node(growing, c, s + 1) for c in children)
    return here._replace(decisions=decisions, left=left, right=right)


def _children(growing: Growing, w: np.ndarray, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the samples in both children, of which the fractions `left` go to the first."""
    fraction = w / growing.table.weight
    too_small = fraction * np.minimum(left, 1 - left) < growing.rules.min_fraction - TIE
    left = np.where(too_small, left > 0.5 - TIE, left)
    left_weight, right_weight = w * left, w * (1 - left)
    dropped = DROPPED * growing.table.weight
    return np.where(left_weight > dropped, left_weight, 0), np.where(right_weight > dropped, right_weight, 0)


def _may_split(growing: Growing, w: np.ndarray, s: int) -> bool:
    least = growing.rules.min_weight * (1 - TIE)
    if s > growing.rules.max_depth or _less(growing, w.sum(), least, 1e-12 * least):
        return False
    return _less(growing, LEAST_GAIN * growing.unit, impurity(growing.table, w), 1e-12 * growing.unit)


def pooled(decisions: tuple[Decision, ...], X: np.ndarray) -> np.ndarray:
    """Fraction of each sample that a module sends left."""
    left = np.zeros(len(X))
    for d in decisions:
        left += d.share * np.array([psi(d, x) for x in X[:, d.feature]])
    return left


def _module(growing: Growing, w: np.ndarray) -> tuple[Decision, ...]:
    """Decisions of the features within the tolerance of the least impurity, the best first."""
    table, rules, unit = growing.table, growing.rules, growing.unit
    found: list[Split] = []
    for f in range(table.X.shape[1]):
        found += _robust_splits(growing, w, f, min((d.impurity for d, _ in found), default=np.inf))
    if not found:
        return ()
    least = min(decision.impurity for decision, _ in found)
    near = [_less(growing, d.impurity, least + TIE * unit, 1e-12 * unit) for d, _ in found]
    best = near.index(True)
    most = least + growing.tolerance + TIE * unit
    joins = [rules.eta > 0 and _less(growing, d.impurity, most, 1e-12 * unit) for d, _ in found]
    module = [found[best]] + [found[i] for i in range(len(found)) if joins[i] and i != best]
    gain = np.array([impurity(table, w) - d.impurity for d, _ in module])
    gain = np.maximum(gain, 1e-12 * impurity(table, w))
    if rules.share_power:  # where gains are tiny, rounding decides the shares
        growing.margins.append(gain.min() / unit / 1e-6)
    gain **= rules.share_power
    axis = _to_larger(growing, module[0][1])
    return tuple(
        _directed(growing, w, d._replace(share=share), float(turn @ axis))
        for (d, turn), share in zip(module, gain / gain.sum(), strict=True)
    )


def _to_larger(growing: Growing, turn: np.ndarray) -> np.ndarray:
    """The change of class shares, or the mean, turned so that the mean class number (the mean) grows."""
    growth = float(turn @ np.arange(len(turn))) if len(turn) > 1 else float(turn[0])
    scale = np.sqrt(growing.unit)
    return -turn if _less(growing, growth, -TIE * scale, 1e-12 * scale) else turn


def _directed(growing: Growing, w: np.ndarray, decision: Decision, along: float) -> Decision:
    """The decision turned to the module's direction, with the fraction of missing values that goes left."""
    against = _less(growing, along, -TIE * growing.unit, 1e-12 * growing.unit)
    decision = decision._replace(reversed=against)
    x = growing.table.X[:, decision.feature]
    known = np.flatnonzero(~np.isnan(x) & (w > 0))
    return decision._replace(missing_left=sum(w[i] * psi(decision, x[i]) for i in known) / w[known].sum())


def _robust_splits(growing: Growing, w: np.ndarray, f: int, least: float) -> list[Split]:
    """The neighbourhoods of a feature, that of its best cut first.

    After the first, one is sought only if the impurity of its cut is near the least of those so far, of this
    feature and the earlier ones (`least`): so what is found depends on the order of the features.
    """
    cuts, most_of_them, unit = _cuts(growing, w, f), growing.rules.neighbourhoods, growing.unit
    gains = impurity(growing.table, w) - np.array(cuts.after) if cuts else np.zeros(0)
    found: list[Split] = []
    spans: list[range] = []
    while cuts and len(found) < (1 if f in growing.table.categorical else most_of_them):
        t0 = _best_cut(growing, cuts, [_is_parted(growing, gains, i, spans) for i in range(len(gains))])
        if t0 is None or not _less(growing, LEAST_GAIN * unit, gains[t0], 1e-12 * unit):
            break
        most = least + growing.tolerance + 2 * TIE * unit
        if found and not _less(growing, cuts.after[t0], most, 1e-12 * unit):
            break
        phi = _neighbourhood(growing, w, cuts, t0)
        found.append(_split_at(growing, w, cuts, t0, phi))
        least = min(least, found[-1][0].impurity)
        spans.append(range(min(phi), max(phi) + 1))
    return found


def _cuts(growing: Growing, w: np.ndarray, f: int) -> Cuts | None:
    """The cuts of a feature; None if there are none that are allowed."""
    values, x = _values_in_order(growing, w, f), growing.table.X[:, f]
    sides = [(np.isin(x, values[: i + 1]), np.isnan(x)) for i in range(len(values))]
    allowed = [_leaves_enough(growing, w, *side) for side in sides]
    if len(values) < 2 or not any(allowed):
        return None
    return Cuts(f, values, [_impurity_after(growing.table, w, *side) for side in sides], allowed)


def _is_parted(growing: Growing, gains: np.ndarray, i: int, spans: list[range]) -> bool:
    """Whether a cut is in no neighbourhood, and on the way to each the gain falls below half of the cut's own.

    The way ends with the outermost cut of the neighbourhood.
    """
    for span in spans:
        between = gains[i + 1 : span.start + 1] if i < span.start else gains[span.stop - 1 : i]
        if i in span or not _less(growing, between.min(), RIDGE * gains[i], 1e-12 * growing.unit):
            return False
    return True


def _best_cut(growing: Growing, cuts: Cuts, parted: list[bool]) -> int | None:
    """The first of the best cuts that are allowed and parted from the neighbourhoods so far."""
    fits = [one and other for one, other in zip(cuts.allowed, parted, strict=True)]
    if not any(fits):
        return None
    unit, best = growing.unit, min(h for h, fit in zip(cuts.after, fits, strict=True) if fit)
    near = [
        fit and _less(growing, h, best + TIE * unit, 1e-12 * unit) for h, fit in zip(cuts.after, fits, strict=True)
    ]
    return near.index(True)


def _split_at(growing: Growing, w: np.ndarray, cuts: Cuts, t0: int, phi: dict[int, float]) -> Split:
    """The neighbourhood phi of a cut as a decision."""
    table, values, f = growing.table, cuts.values, cuts.feature
    x = table.X[:, f]
    h = sum(phi[i] * cuts.after[i] for i in phi) / sum(phi.values())
    left = np.isin(x, values[: t0 + 1])
    turn = shares(table, w * (~left & ~np.isnan(x))) - shares(table, w * left)
    is_category = f in table.categorical
    places = values if is_category or not growing.rules.midway else _between(values)
    listed = [(places[i], phi.get(i, 0.0)) for i in range(len(values)) if is_category or i in phi]
    return Decision(f, np.nan if is_category else places[t0], False, 1.0, 0.0, h, listed), turn


def _between(values: list[float]) -> list[float]:
    """The middle between each value and the next; the last one has no next."""
    return [low / 2 + high / 2 for low, high in pairwise(values)] + [values[-1]]


def _leaves_enough(growing: Growing, w: np.ndarray, left: np.ndarray, missing: np.ndarray) -> bool:
    """Whether both sides of a cut have the least weight of a leaf; missing values are divided as the known are."""
    least = growing.rules.min_leaf_weight * (1 - 1e-12)
    part = w[left].sum() / w[~missing].sum()
    return least <= 0 or not any(_less(growing, p * w.sum(), least, 1e-12 * least) for p in (part, 1 - part))


def _values_in_order(growing: Growing, w: np.ndarray, f: int) -> list[float]:
    """Known values of a feature in the node: ascending, or categories by mean target (ties: by code).

    The target is the second of two classes, or the first of more, or the number.
    """
    table = growing.table
    x = table.X[:, f]
    values = [float(v) for v in np.unique(x[(w > 0) & ~np.isnan(x)])]
    if f not in table.categorical:
        return values
    column = 1 if table.n_classes == 2 else 0
    mean = {v: shares(table, w * (x == v))[column] for v in values}
    scale = TIE * np.sqrt(growing.unit)
    ascending = sorted(values, key=mean.__getitem__)
    steps = [_less(growing, mean[a] + scale, mean[b], 0.01 * scale) for a, b in pairwise(ascending)]
    place = dict(zip(ascending, np.cumsum([0, *steps]), strict=True))
    return sorted(values, key=lambda v: (place[v], v))


def _impurity_after(table: Table, w: np.ndarray, left: np.ndarray, missing: np.ndarray) -> float:
    """Mean impurity of both sides; missing values are divided between them as the known weight is."""
    goes_left = np.where(missing, w[left].sum() / w[~missing].sum(), left)
    sides = (w * goes_left, w * (1 - goes_left))
    return sum(side.sum() * impurity(table, side) for side in sides) / w.sum()


def _neighbourhood(growing: Growing, w: np.ndarray, cuts: Cuts, t0: int) -> dict[int, float]:
    """The weight phi of each cut of T(t0), by its place (equation 2); a side that runs out of values ends."""
    x, allowed = growing.table.X[:, cuts.feature], cuts.allowed
    mass = [w[x == v].sum() for v in cuts.values]
    phi, k = {t0: mass[t0]}, min(growing.rules.k(w.sum()), w.sum())
    for step in (-1, 1):
        room, i = k, t0 + step
        while k > 0 and 0 <= i < len(mass) and allowed[i] and _less(growing, FULL * k, room, 1e-3 * FULL * k):
            phi[i] = min(mass[i], room)
            room -= phi[i]
            i += step
    return phi


def psi(decision: Decision, x: float) -> float:
    """Fraction of a sample with this value that a decision sends left."""
    values = [v for v, _ in decision.cuts]
    is_category = np.isnan(decision.threshold)
    if np.isnan(x) or (is_category and x not in values):
        return decision.missing_left
    passed = decision.cuts[values.index(x) :] if is_category else [c for c in decision.cuts if x <= c[0]]
    fraction = sum(phi for _, phi in passed) / sum(phi for _, phi in decision.cuts)
    return 1 - fraction if decision.reversed else fraction


def leaves_of(node: Node, x: np.ndarray, fraction: float = 1.0) -> Iterator[tuple[list[float], float]]:
    """Value and fraction of every leaf that a sample is in."""
    if node.left is None:
        yield node.value, fraction
        return
    left = sum(d.share * psi(d, x[d.feature]) for d in node.decisions)
    for child, part in ((node.left, left), (node.right, 1 - left)):
        if fraction * part > DROPPED:
            yield from leaves_of(child, x, fraction * part)


def predict(node: Node, x: np.ndarray) -> tuple[np.ndarray, float]:
    """Weighted mean of the leaves' values, and their standard deviation by fractions.

    Of class shares the standard deviation is the square root of half the summed variances.
    """
    leaves = list(leaves_of(node, x))
    value, fraction = np.array([v for v, _ in leaves]), np.array([f for _, f in leaves])
    mean = fraction @ value
    variance = (fraction @ (value - mean) ** 2).sum()
    return mean, np.sqrt(variance / 2 if value.shape[1] > 1 else variance)


def read(tree, node: int = 0) -> Node:
    """A `CultivatedTree` as nested nodes."""
    here = Node(tree.n_samples[node], tree.weight[node], list(tree.value[node]), tree.impurity[node])
    if tree.left[node] < 0:
        return here
    own = range(tree.decisions.start[node], tree.decisions.start[node + 1])
    decisions = tuple(_read_decision(tree, d) for d in own)
    children = (read(tree, int(child)) for child in (tree.left[node], tree.right[node]))
    return here._replace(decisions=decisions, left=next(children), right=next(children))


def _read_decision(tree, d: int) -> Decision:
    own = slice(tree.cuts.start[d], tree.cuts.start[d + 1])
    cuts = list(zip(tree.cuts.value[own].tolist(), tree.cuts.weight[own].tolist(), strict=True))
    return Decision._make([*(field[d].item() for field in tree.decisions[1:]), cuts])


def nodes_of(node: Node) -> list[Node]:
    """A node and all below it, in preorder."""
    return [node] if node.left is None else [node, *nodes_of(node.left), *nodes_of(node.right)]
