"""The classical drawing of a cultivated tree: modules as boxes that list their options."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from core.data.dataset import Feature
from core.trees import LEAF, CultivatedTree
from core.views import ink
from core.views.dot import FONT, fills, safe
from core.views.module_words import options
from core.views.theme import number, percent
from core.views.words import says

MAX_OPTIONS = 6  # of a module that its box lists


def to_dot(tree: CultivatedTree, features: Sequence[Feature], target: Feature) -> str:
    """DOT source of the whole tree, in the light colours; node "3" of the tree is "n3".

    Leaves are filled with the colour of their class, the paler the less pure. Edges are as wide as the weight that
    goes along them; the left one is what the module asks for.
    """
    graph = graphviz.Digraph("tree", graph_attr={"bgcolor": "transparent", "ranksep": "0.35"})
    graph.attr("node", shape="box", style="filled,rounded", fontname=FONT, fontsize="12", margin="0.14,0.08")
    graph.attr("edge", color=ink.LINE["light"], arrowsize="0.6", fontname=FONT, fontsize="11")
    colours = fills(tree, target, "light")
    for node in range(tree.n_nodes):
        line = colours[node] if tree.left[node] == LEAF else ink.LINE["light"]
        text = ink.readable_on(colours[node])
        label = _label(tree, features, target, node)
        graph.node(f"n{node}", label, fillcolor=colours[node], color=line, fontcolor=text)
        if tree.left[node] != LEAF:
            _edges(graph, tree, node)
    return graph.source


def _label(tree: CultivatedTree, features: Sequence[Feature], target: Feature, node: int) -> str:
    share = percent(float(tree.weight[node] / max(tree.weight[0], 1e-300)))
    says_and_size = [says(tree, target, node), f"weight {number(float(tree.weight[node]))}  ({share})"]
    asked = [] if tree.left[node] == LEAF else options(tree, features, node, how=(None, MAX_OPTIONS))
    return safe("\n".join([*asked, *says_and_size]))


def _edges(graph: graphviz.Digraph, tree: CultivatedTree, node: int) -> None:
    for child, name in ((tree.left[node], "yes"), (tree.right[node], "no")):
        share = tree.weight[child] / max(tree.weight[0], 1e-300)
        label = f" {name} {percent(float(tree.weight[child] / max(tree.weight[node], 1e-300)))} "
        graph.edge(f"n{node}", f"n{child}", label=label, penwidth=f"{0.6 + 4 * share:.2f}")
