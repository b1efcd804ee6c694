"""A tree as Python source that needs nothing but Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from espalier.data.dataset import Feature
from espalier.export import surrogates
from espalier.export.changes import changes_on_reading
from espalier.export.columns import ExportedColumn, answers, columns, identifier, one_line, tie_remark, unique
from espalier.export.python_cells import ReadingSource, sample_words
from espalier.oblique import ObliqueTree
from espalier.tree.rules import admitted, step
from espalier.trees import LEAF, Tree

MAX_NESTED = 60  # levels of if/else: Python refuses to read 100 levels of indentation
RESERVED = (
    "CLASSES", "NODES", "float", "fullmatch", "inf", "isinstance", "isnan", "nan", "predict", "sample", "str",
)  # fmt: skip

Remark: TypeAlias = Callable[[int], str]  # the comment on a leaf
Answer: TypeAlias = Callable[
    [int, Callable[[int], str]], str
]  # of a leaf; also takes the source of a feature's value

LOOP = [
    "    row = _read(sample)",
    "    node = NODES[0]",
    "    while node[0] is not None:",
    "        name, test, missing_left, left, right = node",
    "        value = row[name]",
    "        if isinstance(test, float):",
    "            goes_left = missing_left if isnan(value) else value <= test",
    "        else:  # the categories that go left; where missing goes left, those that go right",
    "            goes_left = (value in test) != missing_left",
    "        node = NODES[left if goes_left else right]",
    "    return node[1]",
]
PROMISE = '''
def predict(sample):
    """What the tree says of a sample: {answer}.

    {sample}
    None and nan are missing, and so is a category that the tree does not know.
    Raises KeyError where a column is absent, ValueError where a text is no number.
    """'''


def to_python(tree: Tree, features: Sequence[Feature], target: Feature) -> str:
    """Return the source of a function ``predict(sample)`` of a row of the table.

    A row is a dict from the names of columns to cells or, for a table that was read from a file, a list of its
    cells. The function returns the class and the shares of all classes, or the mean. Cells are as in the file,
    and are read as Espalier reads them: names, missing texts, number formats and pooled categories are written
    out at the top. Trees deeper than `MAX_NESTED`, and those with surrogate splits, become a table of nodes and a
    loop. Raises ValueError if two
    categories of a feature have the same name.
    """
    read = columns(tree, features)
    reading = ReadingSource(read.values())
    is_table = tree.depth > MAX_NESTED or tree.has_surrogates
    loop = surrogates.LOOP if tree.has_surrogates else LOOP

    def answer(node: int, _value: Callable[[int], str]) -> str:
        return answer_in_python(tree, target, node)

    def remark(node: int) -> str:
        return leaf_remark(tree, target, node)

    parts = [
        f"# Decision tree for {one_line(target.name)}: {tree.n_leaves} leaves, depth {tree.depth}.",
        "# Exported from Espalier.",
        *(f"# {line}" for line in changes_on_reading(read.values(), target)),
        "from math import inf, isnan, nan",
        *([reading.imports] if reading.imports else []),
        "",
        *([f"CLASSES = {answers(target)!r}"] if target.categories else []),
        *reading.constants(),
        *(["NODES = (", *table(tree, read, answer, remark), ")"] if is_table else []),
        "",
        PROMISE.format(answer=_promised(target), sample=sample_words(read.values())),
        *(loop if is_table else nested(tree, read, reading, answer, remark)),
        *(reading.row() if is_table else []),
    ]
    return ("\n".join(parts) + reading.functions()).rstrip() + "\n"


def _promised(target: Feature) -> str:
    return "(class, shares of CLASSES)" if target.categories else "a number"


def answer_in_python(tree: Tree | ObliqueTree, target: Feature, node: int) -> str:
    """Return the source of what a leaf predicts: (class, shares), or the mean."""
    if not target.categories:
        return repr(float(tree.value[node, 0]))
    return repr((answers(target)[int(tree.value[node].argmax())], tuple(map(float, tree.value[node]))))


def leaf_remark(tree: Tree | ObliqueTree, target: Feature, node: int) -> str:
    """Return the comment on a leaf: its number of samples, and the classes that tie."""
    return f"n = {tree.n_samples[node]}{tie_remark(target, tree.value[node])}"


def nested(
    tree: Tree, read: dict[int, ExportedColumn], reading: ReadingSource, answer: Answer, remark: Remark
) -> Iterator[str]:
    """Yield lines of the body: first each feature is read, then if and else follow the splits.

    `remark` gives the comment on a leaf.
    """
    names = unique([identifier(column.key) for column in read.values()], "{}_{}", RESERVED)
    variables = dict(zip(read, names, strict=True))
    for feature, column in read.items():
        yield f"    {variables[feature]} = {reading.call(column)}"
    todo = [(0, "    ", "")]
    while todo:
        node, indent, word = todo.pop()
        if tree.feature[node] == LEAF:
            if word:
                yield f"{indent}else:"
                indent += "    "
            yield f"{indent}return {answer(node, variables.__getitem__)}  # {remark(node)}"
            continue
        feature = int(tree.feature[node])
        yield f"{indent}{word}if {_test(tree, node, read[feature], variables[feature])}:"
        todo += [(int(tree.right[node]), indent, "el"), (int(tree.left[node]), indent + "    ", "")]


def _test(tree: Tree, node: int, column: ExportedColumn, variable: str) -> str:
    """Return the source of the condition for going left."""
    missing_left = bool(tree.missing_left[node])
    if not column.names:
        test = f"{variable} <= {float(tree.threshold[node])!r}"
        return f"isnan({variable}) or {test}" if missing_left else test
    names = _names(tree, node, column, left=not missing_left)
    return f"{variable} {'not in' if missing_left else 'in'} {names}"


def _names(tree: Tree, node: int, column: ExportedColumn, left: bool) -> str:
    """Return the source of the set of categories on one side; neither None nor an unknown category is in it."""
    codes = admitted(step(tree, node, left), len(column.names))
    return "{" + ", ".join(repr(column.names[c]) for c in codes) + "}" if codes else "set()"


def table(
    tree: Tree, read: dict[int, ExportedColumn], answer: Answer, remark: Remark | None = None
) -> Iterator[str]:
    """Yield one line per node: (None, answer) for a leaf, or the split that `LOOP` unpacks."""

    def value(feature: int) -> str:
        return f"row[{read[feature].key!r}]"

    if tree.has_surrogates:
        yield from surrogates.table(tree, read, lambda node: answer(node, value))
        return
    for node in range(tree.n_nodes):
        if tree.feature[node] == LEAF:
            text = f"n = {tree.n_samples[node]}" if remark is None else remark(node)
            yield f"    (None, {answer(node, value)}),  # {node}: {text}"
            continue
        column = read[int(tree.feature[node])]
        missing_left = bool(tree.missing_left[node])
        test = repr(float(tree.threshold[node]))
        if column.names:
            test = _names(tree, node, column, left=not missing_left)
        ways = f"{missing_left}, {tree.left[node]}, {tree.right[node]}"
        yield f"    ({column.key!r}, {test}, {ways}),  # {node}"
