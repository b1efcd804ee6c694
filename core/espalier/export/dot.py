"""The classical drawing of a tree, as a Graphviz graph and as its DOT source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import graphviz

from espalier.data.dataset import Feature
from espalier.display.cultivated import conjunction, leads_to, options_table
from espalier.display.text.splits import demand_words, oblique_condition
from espalier.display.text.trees import says
from espalier.display.theme import number
from espalier.display.tree.graphviz import NodeTexts, all_of, drawn, part, texts_of
from espalier.export.columns import head_lines
from espalier.export.node_sources import NodeSource, source_of
from espalier.language import english, say
from espalier.model_trees import formula_lines
from espalier.trees import LEAF, parents

MAX_LINES = 4  # of formulas in a box
WIDTH = 60  # letters of such a line
MAX_OPTIONS = 6  # listed in the box of a pool


def drawing(
    model: Any,
    features: Sequence[Feature] | None = None,
    target: Feature | None = None,
    dark: bool = False,
    max_depth: int | None = None,
) -> graphviz.Digraph:
    """Return the classical drawing down to `max_depth`; `model` and errors as in `to_python`.

    A split has its question, or the first `MAX_OPTIONS` of a module, a leaf its answer: of a formula the first
    classes, and the beginning. Under the pointer, a node shows the conditions to reach it.
    """
    source = source_of(model, features, target)
    return drawn(source.nodes, source.target, _texts(source), dark, max_depth)


@english()
def to_dot(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the DOT source of the classical drawing, after comments on how the file was read.

    `model` as in `to_python`; raises ValueError as it does.
    """
    source = source_of(model, features, target)
    lines = head_lines(source.record, source.features, source.target)
    return "".join(f"// {line}\n" for line in lines) + drawing(model, features, target).source


def _texts(source: NodeSource) -> NodeTexts:
    tree, features = source.nodes, source.features
    if source.tests == "pools":
        ways = _ways(source)
        return NodeTexts(
            asks=lambda node: options_table(tree, features, node, most=MAX_OPTIONS),
            size=lambda node: f"{_weight(float(tree.weight[node]))}  ({part(tree, node)})",
            tip=lambda node: (
                say("as far as {conditions}", conditions=conjunction(ways[node])) if node else say("all rows")
            ),
            branch=lambda node, child, name: f"{name} {part(tree, child, of=node)}",
            features=features,
        )
    if source.tests == "bounds":
        return texts_of(tree, features)._replace(answers=_formulas(source) if source.models else None)
    conditions = source.conditions()
    return NodeTexts(
        asks=lambda node: [oblique_condition(tree, features, node)],
        size=lambda node: f"n = {tree.n_samples[node]}  ({part(tree, node)})",
        tip=lambda node: all_of([demand_words(demand, features) for demand in conditions[node]]),
        branch=lambda node, _, name: name if node == 0 else "",
        features=features,
    )


def _weight(weight: float) -> str:
    return say("weight {weight}", weight=number(weight))


def _ways(source: NodeSource) -> list[tuple[str, ...]]:
    """Return the conditions of all pools above each node, in words."""
    tree, up = source.nodes, parents(source.nodes)
    ways: list[tuple[str, ...]] = [()]
    for node in range(1, tree.n_nodes):  # in preorder: the way to the parent is known
        step = leads_to(tree, source.features, up[node], bool(tree.left[up[node]] == node))
        ways.append((*ways[up[node]], step))
    return ways


def _formulas(source: NodeSource) -> Callable[[int], list[str]]:
    """Return the function that gives the lines of a node's answer: in a leaf its formulas, cut to fit a box."""

    def lines(node: int) -> list[str]:
        if source.nodes.left[node] != LEAF:
            return [says(source.nodes, source.target, node)]
        formulas = formula_lines(source.record, source.features, source.target, node)
        n = len(formulas) - MAX_LINES
        more = [say("… {n} more class" if n == 1 else "… {n} more classes", n=n)] if n > 0 else []
        short = (line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in formulas[:MAX_LINES])
        return [*short, *more]

    return lines
