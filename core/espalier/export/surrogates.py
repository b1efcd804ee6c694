"""Surrogate splits in exported Python: a table of nodes with all tests of each, and the loop that reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from espalier.export.columns import ExportedColumn
from espalier.tree.rules import admitted
from espalier.tree.surrogates import Question, questions_in_order
from espalier.trees import LEAF, Tree

LOOP = [
    "    row = _read(sample)",
    "    node = NODES[0]",
    "    while node[0] is not None:",
    "        tests, goes_left, left, right = node  # the first test of a known value decides, the best one first",
    "        for name, goes, known in tests:",
    "            value = row[name]",
    "            if known is None and not isnan(value):  # a number: left if between both",
    "                goes_left = goes[0] < value <= goes[1]",
    "                break",
    "            if known and value in known:  # a category that the split knows: left if of those that go left",
    "                goes_left = value in goes",
    "                break",
    "        node = NODES[left if goes_left else right]",
    "    return node[1]",
]


def table(tree: Tree, read: dict[int, ExportedColumn], answer: Callable[[int], str]) -> Iterator[str]:
    """Yield one line per node: (None, answer) for a leaf, or what `LOOP` unpacks."""
    for node in range(tree.n_nodes):
        if tree.feature[node] == LEAF:
            yield f"    (None, {answer(node)}),  # {node}: n = {tree.n_samples[node]}"
            continue
        tests = ", ".join(_test(one, read[one.left.feature]) for one in questions_in_order(tree, node))
        ways = f"{bool(tree.missing_left[node])}, {tree.left[node]}, {tree.right[node]}"
        yield f"    (({tests},), {ways}),  # {node}"


def _test(question: Question, column: ExportedColumn) -> str:
    left = question.left
    if not column.names:
        return f"({column.key!r}, ({float(left.low)!r}, {float(left.high)!r}), None)"
    goes, known = (
        [column.names[code] for code in admitted(bound, len(column.names))] for bound in (left, question.known)
    )
    return f"({column.key!r}, {goes!r}, {known!r})"
