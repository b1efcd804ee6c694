"""The walk through the nodes of a tree in exported Python: one for each kind of test.

Bounds become if and else, or where these would nest too deeply a table of nodes and a loop; sums a table and a
loop; pools a table and a walk to all leaves that a part of the row reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from espalier.data.dataset import Feature
from espalier.export.columns import ExportedColumn, answers, identifier, tie_remark, unique
from espalier.export.node_sources import Gate, NodeSource, PoolSource, SumSource
from espalier.export.python_cells import ReadingSource, sample_words
from espalier.kernels.cultivated.fractions import DROPPED
from espalier.leaf_models import FormulaTerm, LeafModels, terms_at
from espalier.oblique import terms_of
from espalier.tree.rules import Question, admitted_codes, questions_in_order, step
from espalier.trees import LEAF, Tree

MAX_NESTED = 60  # levels of if/else: Python refuses to read 100 levels of indentation
WIDTH = 100  # of a formula that stands on one line
LINE = "\n        "  # between the terms of a longer one

Ends = Mapping[int, tuple[str, str]]  # for each leaf its answer, and a comment


class PythonWalk(NamedTuple):
    """The parts of a source that know the nodes of a tree."""

    imports: Sequence[str]
    constants: Sequence[str]
    tables: Sequence[str]
    functions: str


def tree_walk(source: NodeSource, read: dict[int, ExportedColumn], reading: ReadingSource) -> PythonWalk:
    """Return the tables of nodes, and the function ``predict`` with those that it calls."""
    walks: dict[str, Callable[..., PythonWalk]] = {"bounds": _bounds, "sums": _sums, "pools": _pools}
    return walks[source.tests](source, read, reading)


# ---- bounds

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
SURROGATES_LOOP = [
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
PROMISE = '''

def predict(sample):
    """What the tree says of a sample: {answer}.

    {sample}
    None and nan are missing, and so is a category that the tree does not know.
    Raises KeyError where a column is absent, ValueError where a text is no number.
    """
'''
LOCALS = (
    "CLASSES", "NODES", "float", "fullmatch", "inf", "isinstance", "isnan", "nan", "predict", "sample", "str",
)  # fmt: skip


def _bounds(source: NodeSource, read: dict[int, ExportedColumn], reading: ReadingSource) -> PythonWalk:
    tree, target, models = source.nodes, source.target, source.models
    is_table = tree.depth > MAX_NESTED or tree.has_surrogates
    names = unique([identifier(column.key) for column in read.values()], "{}_{}", LOCALS)
    values = dict(zip(read, names, strict=True))
    if is_table:
        values = {feature: f"row[{column.key!r}]" for feature, column in read.items()}
    loop = SURROGATES_LOOP if tree.has_surrogates else LOOP
    constants, functions = [], ""
    if models is None:
        ends = {leaf: (constant(source, leaf), leaf_remark(source, leaf)) for leaf in source.leaves}
    else:
        mark = "lambda row: " if is_table else ""
        ends = {
            leaf: (f"{mark}{formula(models, leaf, read, values)}", n_rows(tree, leaf)) for leaf in source.leaves
        }
        loop, functions = [*loop[:-1], f"{loop[-1]}(row)"], FORMULAS[models.link] + WITHIN
        if not target.categories:
            ends_words = f"{float(models.least[0])!r}, {float(models.greatest[0])!r}"
            constants = [f"LEAST, GREATEST = {ends_words}  # of the numbers that the tree was grown on"]
    promise = PROMISE.format(answer=_promise(target), sample=sample_words(read.values()))
    body = [*loop, *reading.row()] if is_table else if_and_else(tree, read, values, reading, ends)
    return PythonWalk(
        [f"from math import {'exp, ' if models and target.categories else ''}inf, isnan, nan"],
        constants,
        ["NODES = (", *table(tree, read, ends), ")"] if is_table else [],
        f"\n{promise}" + "\n".join(body) + functions,
    )


def _promise(target: Feature) -> str:
    return "(class, shares of CLASSES)" if target.categories else "a number"


def constant(source: NodeSource, leaf: int) -> str:
    """Return the source of what a leaf predicts by its values: (class, shares), or the mean."""
    value = source.nodes.value[leaf]
    if not source.target.categories:
        return repr(float(value[0]))
    return repr((answers(source.target)[int(value.argmax())], tuple(map(float, value))))


def n_rows(tree: Any, leaf: int) -> str:
    """Return the comment on a leaf that tells its number of samples."""
    return f"n = {tree.n_samples[leaf]}"


def leaf_remark(source: NodeSource, leaf: int) -> str:
    """Return the comment on a leaf: its number of samples, and the classes that tie."""
    ties = "" if source.has_surrogates else tie_remark(source.target, source.nodes.value[leaf])
    return f"{n_rows(source.nodes, leaf)}{ties}"


def if_and_else(
    tree: Tree, read: dict[int, ExportedColumn], values: dict[int, str], reading: ReadingSource, ends: Ends
) -> Iterator[str]:
    """Yield lines of the body: first each feature is read, then if and else follow the splits."""
    for feature, column in read.items():
        yield f"    {values[feature]} = {reading.call(column)}"
    todo = [(0, "    ", "")]
    while todo:
        node, indent, word = todo.pop()
        if tree.feature[node] == LEAF:
            if word:
                yield f"{indent}else:"
                indent += "    "
            yield f"{indent}return {ends[node][0]}  # {ends[node][1]}"
            continue
        feature, missing_left = int(tree.feature[node]), bool(tree.missing_left[node])
        name, column = values[feature], read[feature]
        if column.names:
            test = f"{name} {'not in' if missing_left else 'in'} {_names(tree, node, column)}"
        else:
            test = f"isnan({name}) or " * missing_left + f"{name} <= {float(tree.threshold[node])!r}"
        yield f"{indent}{word}if {test}:"
        todo += [(int(tree.right[node]), indent, "el"), (int(tree.left[node]), indent + "    ", "")]


def _names(tree: Tree, node: int, column: ExportedColumn) -> str:
    """Return the set of categories on the side of a split where a missing value does not go.

    Neither None nor an unknown category is in it.
    """
    codes = admitted_codes(step(tree, node, left=not tree.missing_left[node]), len(column.names))
    return "{" + ", ".join(repr(column.names[c]) for c in codes) + "}" if codes else "set()"


def table(tree: Tree, read: dict[int, ExportedColumn], ends: Ends) -> Iterator[str]:
    """Yield one line per node: (None, answer) for a leaf, or the split that the loop unpacks."""
    for node in range(tree.n_nodes):
        if tree.feature[node] == LEAF:
            yield f"    (None, {ends[node][0]}),  # {node}: {ends[node][1]}"
            continue
        ways = f"{bool(tree.missing_left[node])}, {tree.left[node]}, {tree.right[node]}"
        if tree.has_surrogates:
            questions = questions_in_order(tree, node)
            tests = ", ".join(_question(question, read[question.left.feature]) for question in questions)
            yield f"    (({tests},), {ways}),  # {node}"
            continue
        column = read[int(tree.feature[node])]
        test = _names(tree, node, column) if column.names else repr(float(tree.threshold[node]))
        yield f"    ({column.key!r}, {test}, {ways}),  # {node}"


def _question(question: Question, column: ExportedColumn) -> str:
    """Return the test of a node with surrogates: what goes left, and the categories that it knows."""
    left = question.left
    if not column.names:
        return f"({column.key!r}, ({float(left.low)!r}, {float(left.high)!r}), None)"
    goes, known = (
        [column.names[code] for code in admitted_codes(bound, len(column.names))]
        for bound in (left, question.known)
    )
    return f"({column.key!r}, {goes!r}, {known!r})"


# ---- formulas in leaves

WITHIN = '''

def _within(value, low, high, fill):
    """The value that a formula takes: no less than low and no more than high; fill where it is missing."""
    return fill if value is None or value != value else min(max(value, low), high)'''
NUMBER = '''

def _says(score):
    """The number that a formula predicts: never beyond those that the tree was grown on."""
    return min(max(score, LEAST), GREATEST)'''
LOGISTIC = '''

def _says(score):
    """The class, and the shares of both, from the log odds of the second one."""
    odds = exp(-abs(score))
    less, more = odds / (1.0 + odds), 1.0 / (1.0 + odds)
    shares = (less, more) if score > 0.0 else (more, less)
    return CLASSES[shares.index(max(shares))], shares'''
SOFTMAX = '''

def _says(*scores):
    """The class with the greatest score, and the shares of all classes."""
    parts = [exp(score - max(scores)) for score in scores]
    shares = tuple(part / sum(parts) for part in parts)
    return CLASSES[shares.index(max(shares))], shares'''
FORMULAS = {"identity": NUMBER, "logistic": LOGISTIC, "softmax": SOFTMAX}


def formula(models: LeafModels, leaf: int, read: dict[int, ExportedColumn], values: dict[int, str]) -> str:
    """Return the call that makes a prediction of the scores of a leaf."""
    sums = []
    for score, intercept in enumerate(models.intercept[leaf].tolist()):
        terms = (term for term in terms_at(models, leaf) if term.coefficient[score])
        sums.append([repr(intercept), *(_term(term, score, read, values[term.feature]) for term in terms)])
    text = f"_says({', '.join(map(' '.join, sums))})"
    return text if len(text) <= WIDTH else f"_says({','.join(LINE + LINE.join(parts) for parts in sums)})"


def _term(term: FormulaTerm, score: int, read: dict[int, ExportedColumn], value: str) -> str:
    """Return the term with its sign before it."""
    if names := read[term.feature].names:
        value = f"{dict(zip(names, range(len(names)), strict=True))!r}.get({value})"
    coefficient = term.coefficient[score]
    limits = f"{term.low!r}, {term.high!r}, {term.fill!r}"
    return f"{'-' if coefficient < 0 else '+'} {abs(coefficient)!r} * _within({value}, {limits})"


# ---- sums

SUMS_SOURCE = '''

def predict(sample):
    """What the tree says of a sample: {answer}.

    {sample}
    None and nan are missing, and so is a category that the tree does not know: FILL stands in for them.
    Raises KeyError where a column is absent, ValueError where a text is no number.
    """
    row = _filled(_read(sample))
    node = NODES[0]
    while node[0] is not None:
        terms, test, left, right = node
        if isinstance(test, float):
            total = 0.0
            for name, weight in terms:
                total += weight * row[name]
            goes_left = total <= test
        else:  # the categories that go left
            goes_left = row[terms[0][0]] in test
        node = NODES[left if goes_left else right]
    return node[1]


def _filled(row):
    """The numbers, levels and categories of a row, with nothing missing."""
    for name, fill in FILL.items():
        value = row[name]
        if name in LEVELS:
            row[name] = LEVELS[name].get(value, fill)
        elif value is None or value != value or name in NAMES and value not in NAMES[name]:
            row[name] = fill
    return row'''


def _sums(source: SumSource, read: dict[int, ExportedColumn], reading: ReadingSource) -> PythonWalk:
    comment = (
        "# A node: ((feature, coefficient), …), a threshold or the categories that go left, and its children."
    )
    walk = SUMS_SOURCE.replace("{answer}", _promise(source.target)).replace(
        "{sample}", sample_words(read.values())
    )
    return PythonWalk(
        ["from math import nan"],
        [],
        [*_fills(source, read), comment, "NODES = (", *_sum_table(source, read), ")"],
        walk + "\n".join(reading.row()),
    )


def _fills(source: SumSource, read: dict[int, ExportedColumn]) -> Iterator[str]:
    """Yield what stands in for missing values, the levels of ordered categories, and the names of the others."""
    fill, levels, names = {}, {}, {}
    for feature, column in read.items():
        fill[column.key] = value = float(source.nodes.fill[feature])
        if feature in source.set_features:
            fill[column.key] = column.names[int(value)] if value < len(column.names) else None
            names[column.key] = column.names
        elif column.names:
            levels[column.key] = {name: float(code) for code, name in enumerate(column.names)}
    yield f"FILL = {fill!r}  # what a missing value counts as"
    yield f"LEVELS = {levels!r}"
    yield f"NAMES = {names!r}"


def _sum_table(source: SumSource, read: dict[int, ExportedColumn]) -> Iterator[str]:
    tree = source.nodes
    for node in range(tree.n_nodes):
        if tree.left[node] == LEAF:
            yield f"    (None, {constant(source, node)}),  # {node}: {leaf_remark(source, node)}"
            continue
        feature, coefficient = terms_of(tree, node)
        column, threshold = read[int(tree.feature[node])], float(tree.threshold[node])
        terms = tuple((read[f].key, c) for f, c in zip(feature.tolist(), coefficient.tolist(), strict=True))
        test: Any = threshold
        if threshold != threshold:
            mask = int(tree.categories[node])
            test = tuple(name for code, name in enumerate(column.names) if mask >> code & 1)
        ways = f"{tree.left[node]}, {tree.right[node]}"
        yield f"    ({terms or ((column.key, 1.0),)!r}, {test!r}, {ways}),  # {node}"


# ---- pools

FRACTIONS = '''

def fractions(sample):
    """What fraction of a sample is in each leaf: {leaf: fraction}.

    {sample}
    None and nan are missing, and so is a category that the tree does not know.
    Raises KeyError where a column is absent, ValueError where a text is no number.
    """
    return _fractions(_read(sample), NODES)
'''
POOL_WALK = '''

def _fractions(row, nodes):
    """What fraction of a row is in each leaf of a tree: {leaf: fraction}."""
    found, todo = {}, [(0, 1.0)]
    while todo:
        node, fraction = todo.pop()
        module, left, right = nodes[node]
        if module is None:
            found[node] = fraction
            continue
        part = min(max(sum(share * goes_left(row, *option) for share, *option in module), 0.0), 1.0)
        for child, here in ((right, fraction * (1.0 - part)), (left, fraction * part)):
            if here > SMALLEST:
                todo.append((child, here))
    return found


def goes_left(row, name, missing, cuts, parts):
    """What part of a row an option sends left: a step for each cut, or a part for each category."""
    value = row[name]
    if value is None or value != value:
        return missing
    return parts.get(value, missing) if cuts is None else parts[bisect_left(cuts, value)]
'''
POOL_PREDICT = '''

def predict(sample):
    """What the tree says of a sample: {answer}.

    The spread is the standard deviation over the leaves, by their fractions: how much the tree hesitates.
    """
    here = fractions(sample)
'''
POOL_CLASSIFY = """    shares = tuple(sum(part * VALUES[leaf][k] for leaf, part in here.items()) for k in KINDS)
    off = (part * (VALUES[leaf][k] - share) ** 2 for leaf, part in here.items() for k, share in enumerate(shares))
    return CLASSES[shares.index(max(shares))], shares, sqrt(sum(off) / HALVES)"""
POOL_MEAN = """    mean = sum(part * VALUES[leaf] for leaf, part in here.items())
    return mean, sqrt(sum(part * (VALUES[leaf] - mean) ** 2 for leaf, part in here.items()))"""
POOL_WORDS = (
    f"SMALLEST = {DROPPED!r}  # a fraction below this is forgotten\n",
    "# A node: (its module, left child, right child). A module has options: their share, feature, the part",
    "# of missing values that goes left, cuts, and the part that goes left up to each cut and past the last.",
)


def _pools(source: PoolSource, read: dict[int, ExportedColumn], reading: ReadingSource) -> PythonWalk:
    tree, n_classes = source.nodes, len(source.target.categories)
    values = []
    for leaf in source.leaves:
        value = tuple(tree.value[leaf].tolist())
        text = repr(value if n_classes else value[0])
        values.append(f"    {leaf}: {text},  # weight {float(tree.weight[leaf]):.6g}")
    answer = "(class, shares of CLASSES, spread)" if n_classes else "(mean, spread)"
    walk = FRACTIONS.replace("{sample}", sample_words(read.values())) + POOL_WALK
    walk += POOL_PREDICT.replace("{answer}", answer) + (POOL_CLASSIFY if n_classes else POOL_MEAN)
    return PythonWalk(
        ["from bisect import bisect_left", "from math import nan, sqrt"],
        [f"KINDS = {tuple(range(n_classes))}", f"HALVES = {min(n_classes, 2)}"] if n_classes else [],
        [*POOL_WORDS, "NODES = (", *pool_table(source, read), ")", "VALUES = {", *values, "}"],
        walk + "\n".join(reading.row()),
    )


def pool_table(source: PoolSource, read: dict[int, ExportedColumn]) -> Iterator[str]:
    """Yield the source of a line for each node, as `POOL_WORDS` says."""
    tree = source.nodes
    for node in range(tree.n_nodes):
        if tree.left[node] == LEAF:
            yield f"    (None, None, None),  # {node}"
            continue
        options = "".join(f"{_option(gate, read[gate.feature])}, " for gate in source.gates(node, read))
        yield f"    (({options}), {tree.left[node]}, {tree.right[node]}),  # {node}"


def _option(gate: Gate, column: ExportedColumn) -> str:
    parts = dict(zip(column.names, gate.parts, strict=True)) if column.names else gate.parts
    return repr((gate.share, column.key, gate.missing, None if column.names else gate.cuts, parts))
