"""The JSON of the tree graph: a card per node, small and byte-stable.

The same tree, data and rows always give the same bytes, so that a browser that has them is sent nothing.

    {"id": str,                       digest of all that follows; a selection sends it back
     "data": str,                     digest of the data alone: as long as it is the same, the view is kept
     "kind": "class" | "number", "target": str, "criterion": str, "weighted": bool,
     "classes": [{"name": str, "light": "#rrggbb", "dark": "#rrggbb"}, …],
     "scales": {"3": scale, …}        by feature: one range for all nodes that split on it
     "goal": scale                    range of the target (regression)
     "centre": "median"               if a node's number is that of its rows, and not their mean (regression)
     "omitted": int,                  number of nodes beyond settings.MAX_CARDS, which are not sent
     "nodes": [node, …]}              preorder

    scale = {"name": str, "low": float, "high": float, "bins": int, "ends": ["0.1", "2.5"], "names": [str, …]}
            `names` only where values are codes of categories; `ends` are the data's least and greatest value;
            also "meaning": str, of a column of which a person said what it means

    node  = {"id": int, "n": int, "impurity": "0.5",
             "weight": "12.5", "part": per mille of the root's weight       weighted trees
             "shares": [per mille, …], "top": int, "percent": "98 %"        classification
             "mean": float, "says": "151"                                   regression
             "f": int, "test": " ≤ 0.8", "t": float | None, "goes": [int, …], "left": int, "right": int
             "missing": [int, bool]   rows without a value, and whether they go left
             "hist": [int, …]         bins × classes, one bin after the other; at a leaf of a regression
                                      bins of the target
             "edge": int              how many bins of "hist" lie left of the threshold, where the last of these
                                      ends; without it they are those of the scale
             "dots": [int, …]         x, y, x, y, … in hundredths of the ranges (regression)
             "tie": str               the leading classes, where several tie, in words; none of them is the answer
             "more": int}             number of nodes below that are not sent; there is then no `left` and `right`
             "hand": "split chosen by hand"   what was changed here by hand
             "unsure": true           a split that a test did not decide (`espalier.approximation.pictures`)

A cultivated tree (`"cultivated": true`, and `"features": {"7": name, …}` of the options) always has weights, which
are summed fractions, and counts fractions in its histograms. Its splits are modules, shown by their best option:

    node  = {…, "f": int, "test": " ≲ 2.45", "t": t0,           of the best option, for the left child
             "gate": [p, x, p, x, p, …]   per mille that go left: up to the first cut, then from each cut on;
                                      x in per mille of the scale (numbers)
             "cuts": [n, "from 1.9 to 3"]   how many cuts, and where they are, if more than one (numbers)
             "gates": [p, …]          per mille of each category that go left (categories)
             "missing": [weight, per mille of it that go left]
             "pooled": int,           options of the module, if more than one; then also
             "tolerance": ["0.31", "0.3"]   least mean impurity, and how far above it an option may be
             "options": [{"f", "test", "share": per mille, "off": per mille of the tolerance, "h": "0.4"}, …]}
                                      the best first, then by share and impurity; not all of them
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import ClassMarks, Dataset, Feature
from espalier.display.cultivated import (
    cuts_of,
    decision_words,
    gate_of,
    listed_decisions,
    neighbourhood_words,
    node_decisions,
)
from espalier.display.text.splits import kind_words
from espalier.display.text.trees import (
    answer_share,
    answers_of,
    class_words,
    condition,
    criterion_words,
    thresholds_of,
)
from espalier.display.text.values import range_words, side_words, subject
from espalier.display.theme import colours_of, is_long, number, round_digits
from espalier.display.tree.drawings import BINS, MANY, Scale, drawings, sample_of, scale_card, scale_of, scales_of
from espalier.inert import inert
from espalier.language import spoken
from espalier.predict import are_tied
from espalier.settings import MAX_CARDS
from espalier.tree.edits import Edit
from espalier.tree.modules import gate_of_codes
from espalier.tree.rules import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, is_leaf, path_to, subtree_end

MOST_STEPS, FEW_STEPS = 24, 12  # steps of a drawn gate; if there are many cards
MOST_OPTIONS, FEW_OPTIONS = 6, 4  # options listed per module; if there are many cards
FAR = 1000  # the tolerance in the card's units


class CardContext(NamedTuple):
    """The inputs of every card."""

    tree: AnyTree
    dataset: Dataset
    opened: Set[int]  # splits whose children are shown
    scales: dict[int, Scale]
    has_weights: bool  # whether weights differ from numbers of samples
    eta: float | None  # tolerance of the root's module, eta_0, as the learner has it
    # what is drawn, by node, as `drawings` returns it
    hist: dict[int, list[int]]
    edge: dict[int, int]
    dots: dict[int, list[int]]
    missing: dict[int, float]

    @property
    def has_many(self) -> bool:
        """Whether there are so many cards that each shows less."""
        return 2 * len(self.opened) + 1 > MANY


def tolerance(tree: CultivatedTree, context: CardContext, node: int) -> float:
    """Return how far above the least impurity an option of `node` may be; without eta, the farthest option's."""
    if context.eta is None:
        impurity = tree.decisions.impurity[list(node_decisions(tree, node))]
        return float(impurity.max() - impurity[0])
    unit = 1.0 if context.dataset.is_classification else 2 * float(tree.impurity[0])
    return context.eta * unit / len(path_to(tree, node)) ** 3


def module(tree: CultivatedTree, context: CardContext, node: int) -> dict[str, Any]:
    """Return the card's part on the module of a node that is not a leaf."""
    best = int(tree.decisions.start[node])
    f = int(tree.decisions.feature[best])
    card: dict[str, Any] = {"f": f, "test": _test(tree, context, best)}
    if context.dataset.features[f].categories:
        card["gates"] = _per_mille(gate_of_codes(tree, best, len(context.dataset.features[f].categories)))
    else:
        if np.isfinite(tree.decisions.threshold[best]):
            card["t"] = round_digits(float(tree.decisions.threshold[best]), context.scales[f].span)
        card |= _gate(tree, context, best)
    return card | _options(tree, context, node)


def _test(tree: CultivatedTree, context: CardContext, d: int) -> str:
    name = subject(context.dataset.features[int(tree.decisions.feature[d])])
    return decision_words(tree, context.dataset.features, d).removeprefix(name)


def _gate(tree: CultivatedTree, context: CardContext, d: int) -> dict[str, Any]:
    before, cut, after = gate_of(tree, d, FEW_STEPS if context.has_many else MOST_STEPS)
    scale = context.scales[int(tree.decisions.feature[d])]
    at = _per_mille((cut - scale.low) / ((scale.width or 1.0) * scale.bins))
    steps = np.stack([at, _per_mille(after)], axis=1).ravel().tolist()
    cuts = cuts_of(tree, d)
    card: dict[str, Any] = {"gate": [round(FAR * before), *steps]}
    if len(cuts) > 1:
        feature = context.dataset.features[int(tree.decisions.feature[d])]
        card["cuts"] = [len(cuts), neighbourhood_words(feature, cuts)]
    return card


def _options(tree: CultivatedTree, context: CardContext, node: int) -> dict[str, Any]:
    here = node_decisions(tree, node)
    if len(here) == 1:
        return {}
    impurity = tree.decisions.impurity
    most = listed_decisions(tree, node, FEW_OPTIONS if context.has_many else MOST_OPTIONS)
    least, eta = float(impurity[here.start]), tolerance(tree, context, node)
    return {
        "pooled": len(here),
        "tolerance": [number(least), number(eta)],
        "options": [_option(tree, context, d, float(impurity[d] - least) / (eta or 1.0)) for d in most],
    }


def _option(tree: CultivatedTree, context: CardContext, d: int, off: float) -> dict[str, Any]:
    decisions = tree.decisions
    share, impurity = float(decisions.share[d]), float(decisions.impurity[d])
    return {
        "f": int(decisions.feature[d]),
        "test": _test(tree, context, d),
        "share": round(FAR * share),
        "off": round(FAR * min(max(off, 0.0), 1.0)),
        "h": number(impurity),
    }


def option_names(dataset: Dataset, nodes: list[dict[str, Any]]) -> dict[str, str]:
    """Return the name of each feature that is listed in a module, by its number."""
    features = sorted({option["f"] for node in nodes for option in node.get("options", ())})
    return {str(f): subject(dataset.features[f]) for f in features}


def _per_mille(x: np.ndarray) -> list[int]:
    return np.round(FAR * x).astype(int).tolist()


# Cards -----------------------------------------------------------------------------------------------


def cards(
    tree: AnyTree, dataset: Dataset, rows: np.ndarray, criterion: str = "impurity", eta: float | None = None
) -> dict[str, Any]:
    """Return the tree graph's data, as the module describes it.

    `rows` chooses the samples of the histograms, (n_samples,) bool or indices; sizes, shares and impurities
    are the tree's own. `criterion` is the word before an impurity. `eta` is the tolerance that a cultivated
    tree was grown with; without it, the farthest option of a module marks its tolerance. Raises ValueError if
    the tree splits on a feature that the dataset does not have.
    """
    boxed(tree, "the drawing")
    features = tree.decisions.feature if isinstance(tree, CultivatedTree) else tree.feature
    if features.max(initial=LEAF) >= len(dataset.features):
        raise ValueError(f"the tree splits on feature {features.max()}, the data have {len(dataset.features)}")
    X = dataset.X[rows]
    sample = sample_of(tree, X, dataset.y[rows])
    open_splits = shown_splits(tree)
    visible = np.sort(np.concatenate([[0], tree.left[open_splits], tree.right[open_splits]])).astype(int).tolist()
    splits = np.array([node for node in visible if tree.left[node] != LEAF], dtype=np.int64)
    scales = scales_of(tree, dataset, sample.X, splits)
    pictures = drawings(tree, dataset, sample, scales, splits)
    has_weights = is_weighted(tree)
    context = CardContext(tree, dataset, frozenset(open_splits.tolist()), scales, has_weights, eta, *pictures)
    target = dataset.target
    answers = (
        _class_answers(tree, target, visible) if dataset.is_classification else _number_answers(tree, visible)
    )
    nodes = [_card(context, node) | answer for node, answer in zip(visible, answers, strict=True)]
    inputs = np.asarray(rows).tobytes() + repr((criterion, eta, spoken(), dataset.target.centre)).encode()
    return {
        "id": fingerprint(tree, dataset, inputs),
        "data": dataset.digest,
        "kind": "class" if dataset.is_classification else "number",
        "target": inert(dataset.target.name),
        **({"centre": "median"} if dataset.target.centre == "median" else {}),
        "criterion": criterion_words(criterion),
        "weighted": has_weights,
        **(
            {"cultivated": True, "features": option_names(dataset, nodes)}
            if isinstance(tree, CultivatedTree)
            else {}
        ),
        "classes": class_colours_card(dataset.target),
        "scales": {str(f): scale_card(dataset.features[f], scales[f], X[:, f]) for f in sorted(scales)},
        **(
            {}
            if dataset.is_classification  # else of all rows, as on the surface: a value has one colour on both
            else {"goal": scale_card(target, scale_of(target, dataset.y, BINS), dataset.y)}
        ),
        "omitted": tree.n_nodes - len(visible),
        "nodes": nodes,
    }


def add_hand_notes(cards: dict[str, Any], by_hand: Mapping[int, Edit]) -> dict[str, Any]:
    """Return the cards with a note on each node that was changed by hand."""
    notes = {node: kind_words(edit) for node, edit in by_hand.items()}
    nodes = [entry | ({"hand": notes[entry["id"]]} if entry["id"] in notes else {}) for entry in cards["nodes"]]
    digest = hashlib.blake2b((cards["id"] + repr(sorted(notes.items()))).encode(), digest_size=8)
    return cards | {"id": digest.hexdigest(), "nodes": nodes}


def fingerprint(tree: AnyTree, dataset: Dataset, more: bytes = b"") -> str:
    """Return short digest of a tree on its data, by which a selection in the browser refers to the tree."""
    digest = hashlib.blake2b(dataset.digest.encode(), digest_size=8)
    for part in tree:
        for array in part if isinstance(part, tuple) else (part,):
            digest.update(array.tobytes())
    digest.update(more)
    return digest.hexdigest()


def class_colours_card(target: Feature) -> list[dict[str, str | int]]:
    """Return the name, the colours, light and dark, and the place in the palette of each class of a target."""
    return [dict(card) for card in _colours_card(target.categories, target.marks)]


@lru_cache(maxsize=64)  # since every picture has it, while a slider moves
def _colours_card(classes: tuple[str, ...], marks: ClassMarks) -> list[dict[str, str | int]]:
    colours = colours_of(Feature("", "category", classes, marks=marks))
    each = zip(classes, colours["light"], colours["dark"], marks.places(len(classes)), strict=False)
    return [
        {"name": inert(name), "light": light, "dark": dark, "place": place} for name, light, dark, place in each
    ]


def is_weighted(tree: AnyTree) -> bool:
    """Return whether weights differ from numbers of samples."""
    return not np.allclose(tree.weight, tree.n_samples)


def shown_splits(tree: AnyTree) -> np.ndarray:
    """Return the splits whose children are shown, in preorder: all, or the largest ones up to MAX_CARDS nodes.

    A child is never larger than its parent, so the largest splits are always connected.
    """
    splits = np.flatnonzero(~is_leaf(tree))
    size = tree.weight if isinstance(tree, CultivatedTree) else tree.n_samples
    largest = np.argsort(-size[splits], kind="stable")
    return np.sort(splits[largest[: (MAX_CARDS - 1) // 2]])


def _card(context: CardContext, node: int) -> dict[str, Any]:
    tree = context.tree
    card: dict[str, Any] = {"id": node, "n": int(tree.n_samples[node])}
    if isinstance(tree, CultivatedTree) or context.has_weights:
        card["weight"] = number(float(tree.weight[node]))
        card["part"] = round(1000 * float(tree.weight[node] / (tree.weight[0] or 1.0)))
    card["impurity"] = number(float(tree.impurity[node]))
    if tree.left[node] != LEAF:
        card |= _split(tree, context, node) if isinstance(tree, Tree) else module(tree, context, node)
        if context.missing.get(node) and not _goes_by_surrogates(tree, node):
            card["missing"] = [context.missing[node], _missing_left(tree, node)]
        if node in context.dots:
            card["dots"] = context.dots[node]
        is_open = node in context.opened
        card |= {"left": int(tree.left[node]), "right": int(tree.right[node])} if is_open else {}
        card |= {} if is_open else {"more": subtree_end(tree, node) - node - 1}
    if node in context.hist:
        card["hist"] = context.hist[node]
    if node in context.edge:
        card["edge"] = context.edge[node]
    return card


def _class_answers(tree: AnyTree, target: Feature, nodes: list[int]) -> list[dict[str, Any]]:
    value = tree.value[nodes]
    shares, tops = np.round(1000 * value).astype(int).tolist(), value.argmax(axis=1).tolist()
    sizes, is_tied = tree.n_samples[nodes].tolist(), are_tied(value).tolist()
    answers = []
    for i, (row, top) in enumerate(zip(shares, tops, strict=True)):
        tie = {"tie": class_words(target, value[i])} if is_tied[i] else {}
        answers.append({"shares": row, "top": top, "percent": answer_share(value[i], sizes[i])} | tie)
    return answers


def _number_answers(tree: AnyTree, nodes: list[int]) -> list[dict[str, Any]]:
    format_answer = answers_of(tree)
    span = float(np.ptp(tree.value[:, 0]))
    return [
        {"mean": round_digits(mean, span), "says": format_answer(mean)} for mean in tree.value[nodes, 0].tolist()
    ]


def _split(tree: Tree, context: CardContext, node: int) -> dict[str, Any]:
    f, cut = int(tree.feature[node]), float(tree.threshold[node])
    feature = context.dataset.features[f]
    if not feature.categories and np.isfinite(cut):
        words = "" if feature.moment is None else range_words(feature, -np.inf, cut)
        if not words:
            words = f"≤ {side_words(feature, cut, True, thresholds_of(tree, f)[f] if is_long(cut) else ())}"
        return {"f": f, "test": f" {words}", "t": round_digits(cut, context.scales[f].span)}
    test = condition(tree, context.dataset.features, node).removeprefix(subject(feature))
    if feature.categories:
        return {"f": f, "test": test, "goes": categories_going_left(tree, node, len(feature.categories))}
    return {"f": f, "test": test, "t": None}


def _goes_by_surrogates(tree: AnyTree, node: int) -> bool:
    """Return whether surrogate splits decide about missing values, which then go to no side together."""
    return isinstance(tree, Tree) and bool(tree.surrogates.start[node] < tree.surrogates.start[node + 1])


def _missing_left(tree: AnyTree, node: int) -> bool | int:
    """Return whether the split sends a missing value left; for a module's best option, per mille of it."""
    if isinstance(tree, CultivatedTree):
        return round(1000 * float(tree.decisions.missing_left[tree.decisions.start[node]]))
    return bool(tree.missing_left[node])


def categories_going_left(tree: Tree, node: int, n: int) -> list[int]:
    """Return codes among 0, …, n - 1 that the split at `node` sends left."""
    if np.isnan(tree.threshold[node]):
        mask = int(tree.categories[node])
        return [code for code in range(n) if mask >> code & 1]
    return [code for code in range(n) if code <= tree.threshold[node]]
