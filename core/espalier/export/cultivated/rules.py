"""A cultivated tree as rules to read: one for each leaf, with every module on its path."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.cultivated import way
from espalier.display.text.trees import answers_of, says
from espalier.display.theme import count, number, percent
from espalier.export.columns import one_line
from espalier.kernels.gate import log_ensemble_size
from espalier.trees import CultivatedTree, is_leaf

MAX_RULES = 500  # for the heaviest leaves: more would not be read
LEGEND = """\
Every row is in several leaves, in fractions that sum to 1; what is said of it is their weighted mean.
"52 %: a; 48 %: b" is one module: its options, with the share of each. "≲" and "≳" mean less and more than
around: a row that is close to the threshold goes partly the other way.
"""


def to_rules(
    tree: CultivatedTree, features: Sequence[Feature], target: Feature, missing: np.ndarray | None = None
) -> str:
    """Return one rule for each leaf, the heaviest first: its prediction, its weight and the modules on its path.

    `missing` is (n_features,) bool: features for which rules give the part of a missing value that follows them.
    """
    leaves = np.flatnonzero(is_leaf(tree))
    leaves = leaves[np.argsort(-tree.weight[leaves], kind="stable")]
    title = f"Cultivated tree for {one_line(target.name)}: {count(tree.n_leaves)} leaves, depth {tree.depth}, "
    title += f"{count(tree.n_samples[0])} rows, in place of 10^{number(log_ensemble_size(tree))} trees\n\n"
    blocks, written = [title + LEGEND], answers_of(tree)
    for i, leaf in enumerate(leaves[:MAX_RULES].tolist(), start=1):
        steps = [step.words for step in way(tree, features, leaf, missing)]
        blocks.append(_block(tree, target, leaf, f"{i}. ", steps, written))
    if len(leaves) > MAX_RULES:
        rest = percent(float(tree.weight[leaves[MAX_RULES:]].sum() / tree.weight[0]))
        blocks.append(f"… and {count(len(leaves) - MAX_RULES)} more leaves, with {rest} of the weight\n")
    return "\n".join(blocks)


def _block(
    tree: CultivatedTree, target: Feature, leaf: int, mark: str, steps: list[str], written: Callable[[float], str]
) -> str:
    share = percent(float(tree.weight[leaf] / max(tree.weight[0], 1e-300)))
    weight = f"weight {number(float(tree.weight[leaf]))}, {share}, of {count(tree.n_samples[leaf])} rows"
    lines = [f"{mark}{one_line(says(tree, target, leaf, written))}  ({weight})"]
    for word, step in zip(["if"] + ["and"] * len(steps), steps, strict=False):
        lines.append(f"{' ' * len(mark)}{word:>3} {one_line(step)}")
    return "\n".join(lines) + "\n"
