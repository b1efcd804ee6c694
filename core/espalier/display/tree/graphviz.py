"""The classical drawing of a tree, as Graphviz source: exported as DOT, drawn by the browser."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import graphviz
import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.text.splits import surrogate_lines
from espalier.display.text.trees import answers_of, class_fills, condition, phrase, says, thresholds_of
from espalier.display.text.values import subject
from espalier.display.theme import colours_of, number, percent
from espalier.inert import inert, legible, short_names
from espalier.language import say
from espalier.tree.rules import all_bounds
from espalier.trees import LEAF, AnyTree, Tree, depths, subtree_end

MOST_LETTERS = 40  # of a name in a box; all of it is shown under the pointer
FONT = "Source Sans Pro,Helvetica,Arial,sans-serif"  # as Graphviz writes it


class NodeTexts(NamedTuple):
    """The texts of a node, which depend on the kind of tree."""

    asks: Callable[[int], list[str]]  # the question, line by line
    size: Callable[[int], str]
    tip: Callable[[int], str]  # the conditions to reach it; shown under the pointer
    branch: Callable[[int, int, str], str]  # from a node to a child, "yes" or "no"
    answers: Callable[[int], list[str]] | None = None  # the answer, line by line; None: that of the node's values
    features: Sequence[Feature] = ()  # whose names the texts have: long ones are shortened in the boxes


def drawing(
    tree: Tree,
    features: Sequence[Feature],
    target: Feature,
    dark: bool = False,
    max_depth: int | None = None,
) -> graphviz.Digraph:
    """Return the Graphviz graph of the tree down to `max_depth` (None: all of it); node 3 of the tree is "n3".

    Leaves have the colour of their class, paler where they are less pure. The left branch is "yes". Under the
    pointer, a node shows the conditions to reach it.
    """
    return drawn(tree, target, texts_of(tree, features), dark, max_depth)


def texts_of(tree: Tree, features: Sequence[Feature]) -> NodeTexts:
    """Return the texts of the nodes of a tree whose questions are about one feature each."""
    demands, beside = dict(all_bounds(tree)), thresholds_of(tree)
    return NodeTexts(
        asks=lambda node: [condition(tree, features, node), *surrogate_lines(tree, features, node)],
        size=lambda node: f"n = {tree.n_samples[node]}  ({part(tree, node)})",
        tip=lambda node: all_of([phrase(bound, features, beside=beside) for bound in demands[node]]),
        branch=lambda node, _, name: name if node == 0 else "",
        features=features,
    )


def to_dot(tree: Tree, features: Sequence[Feature], target: Feature) -> str:
    """Return the DOT source of the whole tree, in the light colours."""
    return drawing(tree, features, target).source


def drawn(
    tree: AnyTree, target: Feature, texts: NodeTexts, dark: bool = False, max_depth: int | None = None
) -> graphviz.Digraph:
    """Return the graph of any tree, as `drawing` describes it, with the texts of its nodes from `telling`."""
    theme = ink.theme_of(dark)
    graph = _empty(theme)
    colours = fills(tree, target, theme)
    cut, format_answer = _cut_off(tree, max_depth), answers_of(tree)
    names = _short_names(texts.features, target)
    for node in _visible_nodes(tree, cut):
        lines = _lines(tree, target, texts, node, bool(cut[node]), format_answer)
        short = [part for line in lines for part in _shorten(names, line)]
        tip = texts.tip(node) if short == lines else "\n".join([texts.tip(node), *lines])
        line = ink.LINE[theme] if tree.left[node] != LEAF else colours[node]
        text, label = ink.readable_on(colours[node]), safe("\n".join(short))
        graph.node(f"n{node}", label, fillcolor=colours[node], color=line, fontcolor=text, tooltip=safe(tip))
        if tree.left[node] != LEAF and not cut[node]:
            _edges(graph, tree, texts, node)
    return graph


def all_of(conditions: Sequence[str]) -> str:
    """Return the conditions to reach a node as one."""
    if not conditions:
        return say("all rows")
    return functools.reduce(lambda first, last: say("{first} and {last}", first=first, last=last), conditions)


def part(tree: AnyTree, node: int, of: int = 0) -> str:
    """Return the share of the weight of node `of` that is in `node`."""
    return percent(float(tree.weight[node] / max(tree.weight[of], 1e-300)))


def _empty(theme: str) -> graphviz.Digraph:
    graph = graphviz.Digraph("tree", graph_attr={"bgcolor": "transparent", "ranksep": "0.35"})
    graph.attr("node", shape="box", style="filled,rounded", fontname=FONT, fontsize="12", margin="0.14,0.08")
    graph.attr("edge", color=ink.LINE[theme], arrowsize="0.6")
    graph.attr("edge", fontname=FONT, fontsize="11", fontcolor=ink.TEXT[theme])
    return graph


def _cut_off(tree: AnyTree, max_depth: int | None) -> np.ndarray:
    """Return splits whose children are not drawn, (n_nodes,) bool."""
    if max_depth is None:
        return np.zeros(tree.n_nodes, dtype=bool)
    return (depths(tree) >= max_depth) & (tree.left != LEAF)


def _visible_nodes(tree: AnyTree, cut: np.ndarray) -> Iterator[int]:
    node = 0
    while node < tree.n_nodes:
        yield node
        node = subtree_end(tree, node) if cut[node] else node + 1


def _edges(graph: graphviz.Digraph, tree: AnyTree, texts: NodeTexts, node: int) -> None:
    for child, name in ((int(tree.left[node]), say("yes")), (int(tree.right[node]), say("no"))):
        share = tree.weight[child] / max(tree.weight[0], 1e-300)
        words = texts.branch(node, child, name)
        label = f" {words} " if words else ""
        graph.edge(f"n{node}", f"n{child}", label=label, penwidth=f"{0.6 + 4 * share:.2f}")


def _short_names(features: Sequence[Feature], target: Feature) -> dict[str, str]:
    """Return the names that are too long for a box, the longest first, and what stands there for each."""
    families = [
        *(feature.categories for feature in features),
        target.categories,
        [subject(feature) for feature in features],
    ]
    families.append([feature.name for feature in features])
    short: dict[str, str] = {}
    for names in families:
        for name, cut in zip(names, short_names(names, MOST_LETTERS), strict=True):
            short |= {inert(name): cut} if len(name) > MOST_LETTERS else {}
    return dict(sorted(short.items(), key=lambda pair: -len(pair[0])))


def _shorten(names: Mapping[str, str], line: str) -> list[str]:
    """Return a line with short names in place of long ones, and then on several lines if it is still long."""
    text = line
    for name, short in names.items():
        text = text.replace(name, short)
    return [line] if text == line else textwrap.wrap(text, MOST_LETTERS + 20, break_long_words=False)


def _lines(
    tree: AnyTree, target: Feature, texts: NodeTexts, node: int, cut: bool, written: Callable[[float], str]
) -> list[str]:
    lines = texts.asks(node) if tree.left[node] != LEAF else []
    answer = [says(tree, target, node, written)] if texts.answers is None else texts.answers(node)
    lines = [*lines, *answer, texts.size(node)]
    if cut:
        n_hidden = subtree_end(tree, node) - node - 1
        lines.append(say("… {n} more nodes", n=number(n_hidden)))
    return lines


def safe(text: str) -> str:
    """Return the text escaped as a label that Graphviz takes literally, line by line."""
    plain = [legible(line) for line in text.split("\n")]
    lines = [line.replace("&", "&amp;").replace("\\", "\\\\") for line in plain]  # Graphviz reads "&lt;" as "<"
    return graphviz.nohtml("\\n".join(lines))


def fills(tree: AnyTree, target: Feature, theme: str) -> list[str]:
    """Return the colour of each node: of its class, paler if less pure; for a mean, stronger if greater."""
    if target.categories:
        colours = class_fills(target, tree.value, theme == "dark")
        chance = 1 / len(target.categories)
        purity = (tree.value.max(axis=1) - chance) / max(1 - chance, 1e-9)
        strength = 0.12 + 0.78 * np.clip(purity, 0, 1)
        return [ink.mix(colour, ink.PAPER[theme], s) for colour, s in zip(colours, strength, strict=True)]
    low, high = tree.value.min(), tree.value.max()
    strength = 0.08 + 0.72 * (tree.value[:, 0] - low) / max(high - low, 1e-300)
    return [ink.mix(colours_of(target)[theme][0], ink.PAPER[theme], s) for s in strength]
