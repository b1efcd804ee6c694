"""A tree to be read: as rules, one for each leaf, the heaviest first, and as the classical drawing in Graphviz."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import graphviz
import numpy as np

from espalier.data.dataset import Feature
from espalier.display.cultivated import conjunction, leads_to, options_table, way
from espalier.display.text.splits import demand_words, oblique_condition, surrogate_words
from espalier.display.text.trees import answers_of, condition, phrase, says
from espalier.display.theme import count, number, percent
from espalier.display.tree.cards import is_weighted
from espalier.display.tree.graphviz import NodeTexts, all_of, drawn, part, texts_of
from espalier.export.columns import head_lines, one_line
from espalier.export.node_sources import NodeSource, SumSource, source_of
from espalier.kernels.cultivated.fractions import log_ensemble_size
from espalier.kinds import asked_by
from espalier.language import english, say
from espalier.leaf_models import formula_features
from espalier.model_trees import EXACT_DIGITS, code_words, formula_lines, limit_words, terms_by_reach
from espalier.trees import LEAF, parents

MAX_RULES = 500  # of a tree of pools, for the heaviest leaves: more would not be read

# ---- the classical drawing of a tree, as a Graphviz graph and as its DOT source

MAX_LINES = 4  # of formulas in a box
WIDTH = 60  # letters of such a line
MAX_OPTIONS = 6  # listed in the box of a pool


@english()
def to_rules(
    model: Any,
    features: Sequence[Feature] | None = None,
    target: Feature | None = None,
    missing: np.ndarray | None = None,
) -> str:
    """Return one rule for each leaf, in words, after how the file was read; `model` as in `to_python`.

    A rule has the conditions to reach the leaf, its prediction or formula, its samples and its class shares.
    `missing` is (n_features,) bool: the features for which each rule says whether missing values follow it. Raises
    ValueError as `to_python`.
    """
    source: Any = source_of(model, features, target)
    nodes = source.nodes
    head = "".join(f"{line}\n" for line in head_lines(source.record, source.features, source.target))
    leaves = sorted(source.leaves, key=lambda leaf: -nodes.weight[leaf])
    most = MAX_RULES if source.tests == "pools" else len(leaves)
    ways, number_of = _ways(source, missing), answers_of(nodes)
    blocks = [f"{head}\n" * bool(head) + _title(source)]
    blocks += [
        _rule(source, leaf, place, ways(leaf), number_of) for place, leaf in enumerate(leaves[:most], start=1)
    ]
    if len(leaves) > most:
        rest = percent(float(nodes.weight[leaves[most:]].sum() / nodes.weight[0]))
        blocks.append(f"… and {count(len(leaves) - most)} more leaves, with {rest} of the weight\n")
    return "\n".join([*blocks, *_stand_ins(source)])


def _ways(source: Any, missing: np.ndarray | None) -> Callable[[int], list[str]]:
    """Return the function that gives the conditions to reach a leaf in words."""
    features = source.features
    if source.tests == "pools":
        return lambda leaf: [words for _, _, words in way(source.nodes, features, leaf, missing)]
    conditions = source.conditions()
    if source.tests == "sums":  # every row has a number there: nothing to say of missing values
        return lambda leaf: [demand_words(demand, features, exact=True) for demand in conditions[leaf]]
    return lambda leaf: [phrase(bound, features, missing, exact=True) for bound in conditions[leaf]]


def _rule(
    source: NodeSource, leaf: int, place: int, conditions: Sequence[str], number_of: Callable[[float], str]
) -> str:
    """Return the rule of a leaf: its answer, its size, the conditions in words, and its shares or formulas."""
    nodes, mark = source.nodes, f"{place}. "
    share, rows = percent(float(nodes.weight[leaf] / max(nodes.weight[0], 1e-300))), count(nodes.n_samples[leaf])
    size = f"n = {rows}, {share} of the {'weight' if is_weighted(nodes) else 'rows'}"
    if source.tests == "pools":
        size = f"weight {number(float(nodes.weight[leaf]))}, {share}, of {rows} rows"
    indent = "   " if source.models else " " * len(mark)
    answer = "" if source.models else f"{one_line(says(nodes, source.target, leaf, number_of))}  "
    lines = [f"{mark}{answer}({size})" if answer else f"{mark}{size}"]
    for word, text in zip(["if"] + ["and"] * len(conditions), conditions, strict=False):
        lines.append(f"{indent}{word:>3} {one_line(text)}")
    return "\n".join([*lines, *(f"{indent}{text}" for text in _answer_lines(source, leaf))]) + "\n"


def _answer_lines(source: NodeSource, leaf: int) -> list[str]:
    """Return what follows the conditions: formulas and their limits, shares of classes, or the impurity."""
    nodes, target = source.nodes, source.target
    if source.models:
        model, features = source.record, source.features
        terms = terms_by_reach(model, leaf)
        limits = [f"where {'; '.join(limit_words(term, features) for term in terms)}"] if terms else []
        return list(map(one_line, [*formula_lines(model, features, target, leaf, EXACT_DIGITS), *limits]))
    if source.tests == "pools":
        return []
    if not target.categories:
        return [f"impurity: {number(float(nodes.impurity[leaf]))}"]
    shares = zip(target.categories, nodes.value[leaf], strict=True)
    words = ", ".join(f"{name} {percent(float(share))}" for name, share in shares if share > 0)
    return [f"shares: {one_line(words)}"]


# ---- notes before and after the rules

FORMULAS_LEGEND = """\

A formula takes no value beyond those that the rows of its leaf have ("from 2 to 4.4"): a lower one counts as the
least, a higher one as the greatest. {end}
Numbers are rounded to {digits} digits; the exports as Python, SQL and JSON have all.
"""
ENDS = {
    "identity": "No prediction is beyond the numbers that the tree was grown on.",
    "logistic": "Log odds of 0 are a share of 50 %, 1 is 73 %, 2 is 88 %; odds below 0 speak for the first class.",
    "softmax": "The class with the greatest score is predicted; its share is exp(score) / sum of exp(all scores).",
}
POOLS_LEGEND = """\

Every row is in several leaves, in fractions that sum to 1; what is said of it is their weighted mean.
"52 %: a; 48 %: b" is one module: its options, with the share of each. "≲" and "≳" mean less and more than
around: a row that is close to the threshold goes partly the other way.
"""


def _title(source: Any) -> str:
    nodes = source.nodes
    size = f"{count(nodes.n_leaves)} leaves, depth {nodes.depth}, {count(nodes.n_samples[0])} rows"
    title = f"{source.name} for {one_line(source.target.name)}: {size}"
    if source.tests == "pools":
        return f"{title}, in place of 10^{number(log_ensemble_size(nodes))} trees\n{POOLS_LEGEND}"
    if source.models:
        lines = code_words(source.features, formula_features(source.models))
        legend = FORMULAS_LEGEND.format(end=ENDS[source.models.link], digits=EXACT_DIGITS)
        return f"{title}\n{legend}" + "".join(f"{one_line(line)}.\n" for line in lines)
    return f"{title}\n{_fills(source) if source.tests == 'sums' else _whole_numbers(source)}"


def _whole_numbers(source: NodeSource) -> str:
    """Return the note on what "at most 2" means in columns of whole numbers that the tree splits on."""
    features = [source.features[f] for f in np.unique(source.nodes.feature).tolist() if f != LEAF]
    names = [feature.name for feature in features if feature.is_whole and not feature.moment]
    if not names:
        return ""
    columns = one_line(", ".join(names))
    return f"(Whole numbers only: {columns}. The exports as Python, SQL and JSON have their exact thresholds.)\n"


def _fills(source: SumSource) -> str:
    """Return the note on missing values, with the number or category that each feature then counts as."""
    fills = []
    for feature in np.unique(asked_by(source.nodes)).tolist():
        fill, names = float(source.nodes.fill[feature]), source.features[feature].categories
        is_name = feature in source.set_features and fill < len(names)
        fills.append(f"{source.features[feature].name} {names[int(fill)] if is_name else repr(fill)}")
    return one_line(f"(A missing value counts as: {', '.join(fills)}.)") + "\n" if fills else ""


def _stand_ins(source: NodeSource) -> list[str]:
    """Return a block on the surrogate splits of every question that has any."""
    tree, features, lines = source.nodes, source.features, []
    for node in np.flatnonzero(tree.left != LEAF).tolist() if source.has_surrogates else []:
        if words := surrogate_words(tree, features, node):
            question = f"{condition(tree, features, node)}? (n = {count(tree.n_samples[node])})"
            lines += [one_line(question), *(f"   {one_line(text)}" for text in words)]
    head = "Where a value is missing, other columns decide, the first whose value is known:"
    return ["\n".join([head, *lines]) + "\n"] if lines else []


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
        ways = _pool_ways(source)
        return NodeTexts(
            asks=lambda node: options_table(tree, features, node, most=MAX_OPTIONS),
            size=lambda node: (
                f"{say('weight {weight}', weight=number(float(tree.weight[node])))}  ({part(tree, node)})"
            ),
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


def _pool_ways(source: NodeSource) -> list[tuple[str, ...]]:
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
