"""The part of a tree graph's card on a module: its options, their tolerance, and the gate of the best one.

`espalier.display.tree.cards` describes the JSON.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.cultivated.modules import cuts_of, decision_words, gate_of, listed, of_node, range_words
from espalier.display.scales import Scale, rounded
from espalier.display.text.moments import subject
from espalier.display.theme import number
from espalier.tree.modules import gate_of_codes
from espalier.trees import CultivatedTree, path_to

MOST_STEPS, FEW_STEPS = 24, 12  # steps of a drawn gate; if there are many cards
MOST_OPTIONS, FEW_OPTIONS = 6, 4  # options listed per module; if there are many cards
FAR = 1000  # the tolerance in the card's units


class ModuleCardContext(NamedTuple):
    """The inputs that the modules of one tree share."""

    tree: CultivatedTree
    dataset: Dataset
    scales: dict[int, Scale]
    eta: float | None  # tolerance of the root's module, eta_0, as the learner has it
    many: bool = False  # whether there are so many cards that each shows less


def tolerance(context: ModuleCardContext, node: int) -> float:
    """Return how far above the least impurity an option of `node` may be; without eta, the farthest option's."""
    if context.eta is None:
        impurity = context.tree.decisions.impurity[list(of_node(context.tree, node))]
        return float(impurity.max() - impurity[0])
    unit = 1.0 if context.dataset.is_classification else 2 * float(context.tree.impurity[0])
    return context.eta * unit / len(path_to(context.tree, node)) ** 3


def module(context: ModuleCardContext, node: int) -> dict[str, Any]:
    """Return the card's part on the module of a node that is not a leaf."""
    tree, best = context.tree, int(context.tree.decisions.start[node])
    f = int(tree.decisions.feature[best])
    card: dict[str, Any] = {"f": f, "test": _test(context, best)}
    if context.dataset.features[f].categories:
        card["gates"] = _per_mille(gate_of_codes(tree, best, len(context.dataset.features[f].categories)))
    else:
        if np.isfinite(tree.decisions.threshold[best]):
            card["t"] = rounded(float(tree.decisions.threshold[best]), context.scales[f].span)
        card |= _gate(context, best)
    return card | _options(context, node)


def _test(context: ModuleCardContext, d: int) -> str:
    name = subject(context.dataset.features[int(context.tree.decisions.feature[d])])
    return decision_words(context.tree, context.dataset.features, d).removeprefix(name)


def _gate(context: ModuleCardContext, d: int) -> dict[str, Any]:
    gate = gate_of(context.tree, d, FEW_STEPS if context.many else MOST_STEPS)
    scale = context.scales[int(context.tree.decisions.feature[d])]
    at = _per_mille((gate.cut - scale.low) / ((scale.width or 1.0) * scale.bins))
    steps = np.stack([at, _per_mille(gate.after)], axis=1).ravel().tolist()
    cuts = cuts_of(context.tree, d).value
    card: dict[str, Any] = {"gate": [round(FAR * gate.before), *steps]}
    if len(cuts) > 1:
        feature = context.dataset.features[int(context.tree.decisions.feature[d])]
        card["cuts"] = [len(cuts), range_words(feature, cuts)]
    return card


def _options(context: ModuleCardContext, node: int) -> dict[str, Any]:
    here = of_node(context.tree, node)
    if len(here) == 1:
        return {}
    impurity = context.tree.decisions.impurity
    most = listed(context.tree, node, FEW_OPTIONS if context.many else MOST_OPTIONS)
    least, eta = float(impurity[here.start]), tolerance(context, node)
    return {
        "pooled": len(here),
        "tolerance": [number(least), number(eta)],
        "options": [_option(context, d, float(impurity[d] - least) / (eta or 1.0)) for d in most],
    }


def _option(context: ModuleCardContext, d: int, off: float) -> dict[str, Any]:
    decisions = context.tree.decisions
    share, impurity = float(decisions.share[d]), float(decisions.impurity[d])
    return {
        "f": int(decisions.feature[d]),
        "test": _test(context, d),
        "share": round(FAR * share),
        "off": round(FAR * min(max(off, 0.0), 1.0)),
        "h": number(impurity),
    }


def option_names(dataset: Dataset, nodes: list[dict[str, Any]]) -> dict[str, str]:
    """Return the name of each feature that is listed in a module, by its number."""
    used = sorted({option["f"] for node in nodes for option in node.get("options", ())})
    return {str(f): subject(dataset.features[f]) for f in used}


def _per_mille(x: np.ndarray) -> list[int]:
    return np.round(FAR * x).astype(int).tolist()
