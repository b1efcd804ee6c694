"""The classical drawing of a model tree: each leaf with its formula."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from espalier.data.dataset import Feature
from espalier.display.text.trees import says
from espalier.display.tree.graphviz import drawn, texts_of
from espalier.language import say
from espalier.leaf_models import ModelTree
from espalier.model_trees.formulas import formula_lines
from espalier.trees import LEAF

MAX_LINES = 4  # of formulas in a box
WIDTH = 60  # letters of such a line


def drawing(
    model: ModelTree,
    features: Sequence[Feature],
    target: Feature,
    dark: bool = False,
    max_depth: int | None = None,
) -> graphviz.Digraph:
    """Return the Graphviz graph of the tree, as `espalier.display.tree.graphviz.drawing` does.

    A leaf has its formula; of more than `MAX_LINES` classes the first ones, and of a long formula its beginning.
    """

    def answers(node: int) -> list[str]:
        if model.tree.feature[node] != LEAF:
            return [says(model.tree, target, node)]
        lines = formula_lines(model, features, target, node)
        hidden = len(lines) - MAX_LINES
        more = [say("… {n} more class" if hidden == 1 else "… {n} more classes", n=hidden)] if hidden > 0 else []
        return [*(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in lines[:MAX_LINES]), *more]

    texts = texts_of(model.tree, features)._replace(answers=answers)
    return drawn(model.tree, target, texts, dark, max_depth)


def to_dot(model: ModelTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the DOT source of the whole tree, in the light colours."""
    return drawing(model, features, target).source
