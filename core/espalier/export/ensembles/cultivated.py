"""Cultivated trees of a forest in Python and SQL: each row is in several leaves of a tree, in fractions."""

from __future__ import annotations

from collections.abc import Iterator

from espalier.display.theme import count
from espalier.export.columns import ExportedColumn
from espalier.export.cultivated import sql as mixtures
from espalier.export.cultivated.python import NODES_WORDS, WALK, table
from espalier.export.dialects import real
from espalier.export.ensembles import parts
from espalier.export.ensembles.parts import WrittenTrees
from espalier.export.sql import ExportedRow
from espalier.language import Refusal
from espalier.trees import LEAF, Forest

WORDS = (
    *NODES_WORDS,
    "# A tree: its weight, its nodes, and what each leaf says.",
)
LOOP = "        for k, part in enumerate(_{}(row, *nodes)):"
MEAN = '''


def _mean(row, weight, nodes, values):
    """What a tree adds to each score: the mean of its leaves by the row's fractions in them, times its weight."""
    sums = [0.0] * len(START)
    for leaf, part in _fractions(row, nodes).items():
        for k, value in enumerate(values[leaf]):
            sums[k] += part * value
    return [weight * value for value in sums]'''
VOTE = '''


def _vote(row, weight, nodes, values):
    """What a tree adds to each score: its weight, to the class of its greatest share."""
    shares = _mean(row, 1.0, nodes, values)
    best = shares.index(max(shares))
    return [weight * (k == best) for k in range(len(shares))]'''


def written(forest: Forest, read: dict[int, ExportedColumn]) -> WrittenTrees:
    """Return the trees as Python source."""
    is_vote = forest.combine == "votes"
    functions = WALK.rstrip() + MEAN + (VOTE if is_vote else "")
    imports = ("from bisect import bisect_left",)
    return WrittenTrees(
        WORDS, tuple(_tables(forest, read)), LOOP.format("vote" if is_vote else "mean"), imports, functions
    )


def _tables(forest: Forest, read: dict[int, ExportedColumn]) -> Iterator[str]:
    for number, tree in enumerate(parts.cultivated_trees(forest)):
        yield f"    (  # tree {number + 1}"
        yield f"        {float(forest.weight[number])!r},"
        yield "        ("
        yield from (f"        {line}" for line in table(tree, read))
        yield "        ),"
        yield "        {"
        for node in range(tree.n_nodes):
            if tree.left[node] == LEAF:
                yield f"            {node}: {tuple(tree.value[node].tolist())!r},"
        yield "        },"
        yield "    ),"


# ---- SQL


def check_cases(forest: Forest, most: int) -> None:
    """Raise Refusal for trees that no expression has room for."""
    trees = parts.cultivated_trees(forest)
    n_cases = sum(2 * len(tree.cuts.value) * tree.value.shape[1] for tree in trees)  # the part on either side
    if n_cases > most:
        raise Refusal(
            "Each row is in several leaves of a cultivated tree, so that an expression in SQL would have {n} "
            "cases, more than databases take; the limit is {most}. Grow fewer trees, or trees of less depth, or "
            "save the forest as Python.",
            n=count(n_cases),
            most=count(most),
        )
    if any(tree.depth > mixtures.MAX_DEPTH for tree in trees):
        raise Refusal(
            "Trees of more than {most} levels nest deeper than databases take. Grow trees of less depth, or save "
            "the forest as Python.",
            most=mixtures.MAX_DEPTH,
        )


def answers_of_trees(forest: Forest, row: ExportedRow) -> list[tuple[str, str]]:
    """Return the expression of each output of each tree in terms of the columns, and its name."""
    return [
        (mixtures.mixed(tree, row, output), _name(number, output))
        for number, tree in enumerate(parts.cultivated_trees(forest))
        for output in range(tree.value.shape[1])
    ]


def terms(forest: Forest, k: int) -> list[str]:
    """Return what each tree adds to score k, in terms of the names of `answers_of_trees`."""
    weights = map(float, forest.weight)
    if forest.combine != "votes":
        return [f"{real(weight)} * {_name(number, k)}" for number, weight in enumerate(weights)]
    return [
        f"CASE WHEN {_wins(forest, number, k)} THEN {real(weight)} ELSE 0e0 END"
        for number, weight in enumerate(weights)
    ]


def _wins(forest: Forest, number: int, k: int) -> str:
    """Return the condition that a class has the tree's greatest share, and the first of equal ones."""
    own, others = _name(number, k), range(forest.n_outputs)
    tests = [f"{own} {'>' if other < k else '>='} {_name(number, other)}" for other in others if other != k]
    return " AND ".join(tests) or "1 = 1"


def _name(number: int, output: int) -> str:
    return f"t{number}_{output}"
