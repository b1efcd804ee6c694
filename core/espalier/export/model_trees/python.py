"""A model tree as Python source that needs nothing but Python: if and else, and a formula at each end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from espalier.data.dataset import Feature
from espalier.export.changes import changes_on_reading
from espalier.export.columns import ExportedColumn, answers, columns, one_line
from espalier.export.python import LOOP, MAX_NESTED, PROMISE, nested, table
from espalier.export.python_cells import ReadingSource, sample_words
from espalier.leaf_models import FormulaTerm, ModelTree, terms_at

WIDTH = 100  # of a formula that stands on one line
LINE = "\n        "  # between the terms of a longer one
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
SAYS = {"identity": NUMBER, "logistic": LOGISTIC, "softmax": SOFTMAX}


def to_python(model: ModelTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the source of a function ``predict(sample)``, as `espalier.export.python.to_python` does.

    Each leaf returns its formula. Its sums may differ from the app's in their last digits. Raises ValueError if
    two categories of a feature have the same name.
    """
    read = columns(model, features)
    reading = ReadingSource(read.values())
    is_table = model.depth > MAX_NESTED

    def answer(leaf: int, value: Callable[[int], str]) -> str:
        text = _says(model, leaf, read, value)
        return f"lambda row: {text}" if is_table else text

    def remark(leaf: int) -> str:
        return f"n = {model.tree.n_samples[leaf]}"

    parts = [
        *_head(model, target, read, reading),
        *(["NODES = (", *table(model.tree, read, answer), ")"] if is_table else []),
        "",
        PROMISE.format(answer=_promised(target), sample=sample_words(read.values())),
        *(
            [*LOOP[:-1], "    return node[1](row)"]
            if is_table
            else nested(model.tree, read, reading, answer, remark)
        ),
        *(reading.row() if is_table else []),
    ]
    functions = SAYS[model.models.link] + WITHIN + reading.functions()
    return ("\n".join(parts) + functions).rstrip() + "\n"


def _promised(target: Feature) -> str:
    return "(class, shares of CLASSES)" if target.categories else "a number"


def _head(
    model: ModelTree, target: Feature, read: dict[int, ExportedColumn], reading: ReadingSource
) -> Iterator[str]:
    yield f"# Model tree for {one_line(target.name)}: {model.n_leaves} leaves, depth {model.depth}."
    yield "# Exported from Espalier. Each leaf has a formula."
    yield from (f"# {line}" for line in changes_on_reading(read.values(), target))
    yield "from math import exp, inf, isnan, nan" if target.categories else "from math import inf, isnan, nan"
    if reading.imports:
        yield reading.imports
    yield ""
    if target.categories:
        yield f"CLASSES = {answers(target)!r}"
    else:
        limits = float(model.models.least[0]), float(model.models.greatest[0])
        yield f"LEAST, GREATEST = {limits[0]!r}, {limits[1]!r}  # of the numbers that the tree was grown on"
    yield from reading.constants()


def _says(model: ModelTree, leaf: int, read: dict[int, ExportedColumn], value: Callable[[int], str]) -> str:
    """Return the call that makes a prediction of the scores of a leaf."""
    sums = []
    for score, intercept in enumerate(model.models.intercept[leaf].tolist()):
        terms = (term for term in terms_at(model.models, leaf) if term.coefficient[score])
        sums.append([repr(intercept), *(_times(term, score, read, value) for term in terms)])
    text = f"_says({', '.join(map(' '.join, sums))})"
    if len(text) <= WIDTH:
        return text
    return f"_says({','.join(LINE + LINE.join(parts) for parts in sums)})"


def _times(term: FormulaTerm, score: int, read: dict[int, ExportedColumn], value: Callable[[int], str]) -> str:
    """Return the term with its sign before it."""
    names, text = read[term.feature].names, value(term.feature)
    if names:
        text = f"{dict(zip(names, range(len(names)), strict=True))!r}.get({text})"
    coefficient = term.coefficient[score]
    ends = f"{term.low!r}, {term.high!r}, {term.fill!r}"
    return f"{'-' if coefficient < 0 else '+'} {abs(coefficient)!r} * _within({text}, {ends})"
