"""What a card of the tree graph shows of a module: its options, their tolerance, and the best one's gate.

`espalier.views.tree.cards` describes the JSON.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.analysis.cultivated.modules import gate_of_codes
from espalier.data.dataset import Dataset
from espalier.trees import CultivatedTree, path_to
from espalier.views.cultivated.modules import cuts_of, decision_words, gate_of, listed, of_node, range_of_cuts
from espalier.views.scales import Scale, rounded
from espalier.views.theme import number

MOST_STEPS, FEW_STEPS = 24, 12  # of a gate that is drawn; of each of many
MOST_OPTIONS, FEW_OPTIONS = 6, 4  # of a module that are listed; of each of many
FAR = 1000  # the tolerance in the card's units


class ModuleCardContext(NamedTuple):
    """What the modules of one tree have in common."""

    tree: CultivatedTree
    dataset: Dataset
    scales: dict[int, Scale]
    eta: float | None  # tolerance of the root's module, eta_0, as the learner has it
    many: bool = False  # whether there are so many cards that each says less


def tolerance(bed: ModuleCardContext, node: int) -> float:
    """How far above the least impurity an option of `node` may be; without eta, as far as the farthest is."""
    if bed.eta is None:
        impurity = bed.tree.decisions.impurity[list(of_node(bed.tree, node))]
        return float(impurity.max() - impurity[0])
    unit = 1.0 if bed.dataset.is_classification else 2 * float(bed.tree.impurity[0])
    return bed.eta * unit / len(path_to(bed.tree, node)) ** 3


def module(bed: ModuleCardContext, node: int) -> dict[str, Any]:
    """The module of a node that is no leaf."""
    tree, best = bed.tree, int(bed.tree.decisions.start[node])
    f = int(tree.decisions.feature[best])
    card: dict[str, Any] = {"f": f, "test": _test(bed, best)}
    if bed.dataset.features[f].categories:
        card["gates"] = _per_mille(gate_of_codes(tree, best, len(bed.dataset.features[f].categories)))
    else:
        if np.isfinite(tree.decisions.threshold[best]):
            card["t"] = rounded(float(tree.decisions.threshold[best]))
        card |= _gate(bed, best)
    return card | _options(bed, node)


def _test(bed: ModuleCardContext, d: int) -> str:
    name = bed.dataset.features[int(bed.tree.decisions.feature[d])].name
    return decision_words(bed.tree, bed.dataset.features, d).removeprefix(name)


def _gate(bed: ModuleCardContext, d: int) -> dict[str, Any]:
    gate = gate_of(bed.tree, d, FEW_STEPS if bed.many else MOST_STEPS)
    scale = bed.scales[int(bed.tree.decisions.feature[d])]
    at = _per_mille((gate.cut - scale.low) / ((scale.width or 1.0) * scale.bins))
    steps = np.stack([at, _per_mille(gate.after)], axis=1).ravel().tolist()
    cuts = cuts_of(bed.tree, d).value
    card: dict[str, Any] = {"gate": [round(FAR * gate.before), *steps]}
    if len(cuts) > 1:
        feature = bed.dataset.features[int(bed.tree.decisions.feature[d])]
        card["cuts"] = [len(cuts), range_of_cuts(feature, cuts).removeprefix("cuts ")]
    return card


def _options(bed: ModuleCardContext, node: int) -> dict[str, Any]:
    here = of_node(bed.tree, node)
    if len(here) == 1:
        return {}
    impurity = bed.tree.decisions.impurity
    most = listed(bed.tree, node, FEW_OPTIONS if bed.many else MOST_OPTIONS)
    least, eta = float(impurity[here.start]), tolerance(bed, node)
    return {
        "pooled": len(here),
        "tolerance": [number(least), number(eta)],
        "options": [_option(bed, d, float(impurity[d] - least) / (eta or 1.0)) for d in most],
    }


def _option(bed: ModuleCardContext, d: int, off: float) -> dict[str, Any]:
    decisions = bed.tree.decisions
    share, impurity = float(decisions.share[d]), float(decisions.impurity[d])
    return {
        "f": int(decisions.feature[d]),
        "test": _test(bed, d),
        "share": round(FAR * share),
        "off": round(FAR * min(max(off, 0.0), 1.0)),
        "h": number(impurity),
    }


def option_names(dataset: Dataset, nodes: list[dict[str, Any]]) -> dict[str, str]:
    """Name of each feature that is listed in a module, by its number."""
    used = sorted({option["f"] for node in nodes for option in node.get("options", ())})
    return {str(f): dataset.features[f].name for f in used}


def _per_mille(x: np.ndarray) -> list[int]:
    return np.round(FAR * x).astype(int).tolist()
