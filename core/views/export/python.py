"""A tree as Python source that needs nothing but Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.analysis.rules import admitted, step
from core.data.dataset import Feature
from core.trees import LEAF, Tree
from core.views.export.columns import Column, columns, identifier, one_line, unique

MAX_NESTED = 60  # levels of if/else: Python refuses to read 100 levels of indentation
RESERVED = (
    "CLASSES", "NODES", "float", "inf", "int", "isinstance", "isnan", "nan", "predict", "sample", "str",
)  # fmt: skip

NUMBER = '''

def _number(value):
    """The value as a float; nan where it is missing."""
    return nan if value is None else float(value)'''
CATEGORY = '''

def _category(value):
    """The name of a category; None where it is missing. The number 1.0 is the category "1"."""
    if value is None or value != value:
        return None
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)'''
LOOP = [
    "    node = NODES[0]",
    "    while node[0] is not None:",
    "        name, test, missing_left, left, right = node",
    "        if isinstance(test, float):",
    "            value = _number(sample.get(name))",
    "            goes_left = missing_left if isnan(value) else value <= test",
    "        else:  # the categories that go left; where missing goes left, those that go right",
    "            goes_left = (_category(sample.get(name)) in test) != missing_left",
    "        node = NODES[left if goes_left else right]",
    "    return node[1]",
]
PROMISE = '''
def predict(sample):
    """What the tree says of a sample, a dict from feature names to values: {answer}.

    A value that is absent, None or nan is missing, and so is a category that the tree does not know.
    """'''


def to_python(tree: Tree, features: Sequence[Feature], target: Feature) -> str:
    """Source of a function ``predict(sample)``: a dict from feature names to values goes in.

    Out come the class and the shares of all classes, or the mean. Values are as in the table: numbers, and
    names of categories. Trees deeper than `MAX_NESTED` become a table of nodes and a loop. Raises ValueError
    where two categories of a feature share a name.
    """
    read = columns(tree, features)
    is_deep = tree.depth > MAX_NESTED
    parts = [
        f"# Decision tree for {one_line(target.name)}: {tree.n_leaves} leaves, depth {tree.depth}.",
        "# Exported from Espalier.",
        "from math import inf, isnan, nan\n",
        *([f"CLASSES = {target.categories!r}\n"] if target.categories else []),
        *(["NODES = (", *_table(tree, target, read), ")\n"] if is_deep else []),
        PROMISE.format(answer="(class, shares of CLASSES)" if target.categories else "a number"),
        *(LOOP if is_deep else _nested(tree, target, read)),
        *([NUMBER] if any(not column.names for column in read.values()) else []),
        *([CATEGORY] if any(column.names for column in read.values()) else []),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _answer(tree: Tree, target: Feature, node: int) -> str:
    if not target.categories:
        return repr(float(tree.value[node, 0]))
    return repr((target.categories[int(tree.value[node].argmax())], tuple(map(float, tree.value[node]))))


def _nested(tree: Tree, target: Feature, read: dict[int, Column]) -> Iterator[str]:
    """Lines of the body: first each feature is read, then if and else follow the splits."""
    names = unique([identifier(column.key) for column in read.values()], "{}_{}", RESERVED)
    variables = dict(zip(read, names, strict=True))
    for feature, column in read.items():
        reader = "_category" if column.names else "_number"
        yield f"    {variables[feature]} = {reader}(sample.get({column.key!r}))"
    todo = [(0, "    ", "")]
    while todo:
        node, indent, word = todo.pop()
        if tree.feature[node] == LEAF:
            if word:
                yield f"{indent}else:"
                indent += "    "
            yield f"{indent}return {_answer(tree, target, node)}  # n = {tree.n_samples[node]}"
            continue
        feature = int(tree.feature[node])
        yield f"{indent}{word}if {_test(tree, node, read[feature], variables[feature])}:"
        todo += [(int(tree.right[node]), indent, "el"), (int(tree.left[node]), indent + "    ", "")]


def _test(tree: Tree, node: int, column: Column, variable: str) -> str:
    """Source of whether a sample goes left."""
    missing_left = bool(tree.missing_left[node])
    if not column.names:
        test = f"{variable} <= {float(tree.threshold[node])!r}"
        return f"isnan({variable}) or {test}" if missing_left else test
    names = _names(tree, node, column, left=not missing_left)
    return f"{variable} {'not in' if missing_left else 'in'} {names}"


def _names(tree: Tree, node: int, column: Column, left: bool) -> str:
    """Source of the set of categories on one side; neither None nor an unknown category is in it."""
    codes = admitted(step(tree, node, left), len(column.names))
    return "{" + ", ".join(repr(column.names[c]) for c in codes) + "}" if codes else "set()"


def _table(tree: Tree, target: Feature, read: dict[int, Column]) -> Iterator[str]:
    """One line a node: (None, answer), or what `LOOP` unpacks."""
    for node in range(tree.n_nodes):
        if tree.feature[node] == LEAF:
            yield f"    (None, {_answer(tree, target, node)}),  # {node}: n = {tree.n_samples[node]}"
            continue
        column = read[int(tree.feature[node])]
        missing_left = bool(tree.missing_left[node])
        test = repr(float(tree.threshold[node]))
        if column.names:
            test = _names(tree, node, column, left=not missing_left)
        ways = f"{missing_left}, {tree.left[node]}, {tree.right[node]}"
        yield f"    ({column.key!r}, {test}, {ways}),  # {node}"
