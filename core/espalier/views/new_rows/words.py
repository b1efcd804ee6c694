"""What is said of new rows: why they are for an expert, the reasons of answers, and what came of all."""

from __future__ import annotations

import math

import numpy as np

from espalier.analysis.new_rows.answers import TableModel
from espalier.analysis.new_rows.leading import LeadingParts
from espalier.analysis.new_rows.scoring import Hits, ScoredRowSet
from espalier.analysis.tree.rules import leaf_bounds
from espalier.data.columns.new_rows import ColumnSources, NewRows
from espalier.data.dataset import Dataset, Feature
from espalier.data.inert import inert
from espalier.language import say
from espalier.predict import leaves, record_of
from espalier.trees import Tree
from espalier.views.boundaries.surface import in_words
from espalier.views.explanation.parts import amount
from espalier.views.promises.words import set_words
from espalier.views.text.trees import phrase
from espalier.views.theme import count, number, percent

MOST_NAMED = 3  # columns that are named as reasons
MOST_EXAMPLES, MOST_LETTERS = 3, 30  # of unknown values, and of the letters of one
DIGITS = 6  # of a person's own numbers


def expert_words(found: ScoredRowSet, row: int, dataset: Dataset) -> str:
    """Return why a row (from 0) is for an expert; empty if it is not."""
    reasons = [*_of_answer(found, row, dataset), *_of_columns(found, row, dataset)]
    return "; ".join(reasons)


def _of_answer(found: ScoredRowSet, row: int, dataset: Dataset) -> list[str]:
    over, said = found.handover, found.said
    parts = []
    if over.doubted[row]:
        known = {"doubt": number(float(said.doubt[row])), "most": number(over.threshold)}
        is_none = math.isinf(over.threshold)
        parts.append(
            say("the goal allows no answer") if is_none else say("doubt {doubt} is above {most}", **known)
        )
    if over.unsettled[row] and said.possible is not None:
        parts.append(say("trees as good say {classes}", classes=set_words(said.possible[row], dataset.classes)))
    return parts


def _of_columns(found: ScoredRowSet, row: int, dataset: Dataset) -> list[str]:
    over, names = found.handover, [feature.name for feature in dataset.features]
    parts = [
        say("{name} “{value}” is unknown to it", name=names[f], value=short(found.rows.cell(row, int(f))))
        for f in np.flatnonzero(over.unknown[row])
    ]
    parts += [_outside(found, row, int(f), dataset.features[f]) for f in np.flatnonzero(over.outside[row])]
    parts += [say("{name} is missing", name=names[f]) for f in np.flatnonzero(over.missing[row])]
    rest = len(parts) - MOST_NAMED
    more = [say("{n} more reason" if rest == 1 else "{n} more reasons", n=rest)] if rest > 0 else []
    return [*parts[:MOST_NAMED], *more]


def _outside(found: ScoredRowSet, row: int, f: int, feature: Feature) -> str:
    x, learned = float(found.rows.X[row, f]), found.handover.learned
    is_low = x < learned.low[f]
    known = {"name": feature.name, "value": in_words(feature, x, DIGITS)}
    if is_low:
        least = in_words(feature, float(learned.low[f]), DIGITS)
        return say("{name} {value} is below all that it learned from, at least {least}", **known, least=least)
    most = in_words(feature, float(learned.high[f]), DIGITS)
    return say("{name} {value} is above all that it learned from, at most {most}", **known, most=most)


# ---- reasons of an answer


class Reasons:
    """The reasons of the answers to rows, in words: of a tree the way to the leaf, of others what matters most."""

    def __init__(self, model: TableModel, rows: NewRows, leading: LeadingParts | None):
        self._data, self._X, self._leading = model.dataset, rows.X, leading
        record = record_of(model.estimator)
        self._tree = record if isinstance(record, Tree) else None
        self._leaf = leaves(self._tree, rows.X) if self._tree is not None else np.empty(0)
        self._bounds = {} if self._tree is None else dict(leaf_bounds(self._tree))
        self._rules: dict[int, str] = {}

    @property
    def are_there(self) -> bool:
        """Return whether the answers have reasons."""
        return self._tree is not None or self._leading is not None

    def of(self, row: int) -> str:
        """Return the reasons of the answer to a row (from 0)."""
        if self._tree is not None:
            return self._rule(int(self._leaf[row]))
        return "" if self._leading is None else leading_words(self._leading, row, self._X[row], self._data)

    def _rule(self, leaf: int) -> str:
        if leaf not in self._rules:
            features = self._data.features
            conditions = [phrase(bound, features, None, False) for bound in self._bounds[leaf]]
            self._rules[leaf] = ", ".join(conditions) or say("the same for every row")
        return self._rules[leaf]


def leading_words(leading: LeadingParts, row: int, x: np.ndarray, dataset: Dataset) -> str:
    """Return the columns that matter most to an answer: "petal width 2.1 (+31 pts), petal length 5 (+20 pts)"."""
    there = zip(leading.feature[row].tolist(), leading.added[row].tolist(), strict=True)
    parts = [
        f"{dataset.features[f].name} {in_words(dataset.features[f], float(x[f]), 4)} "
        f"({amount(by, leading.link, dataset)})"
        for f, by in there
        if f >= 0
    ]
    return ", ".join(parts) or say("the same for every row")


# ---- the file


def column_warnings(found: ScoredRowSet, dataset: Dataset) -> list[str]:
    """Return what is strange about each column of the file, in a sentence for each that is."""
    warnings = []
    for f, feature in enumerate(dataset.features):
        parts = _strange(found, f, feature)
        if parts:
            warnings.append(say("{name}: {facts}", name=feature.name, facts="; ".join(parts)))
    return warnings


def _strange(found: ScoredRowSet, f: int, feature: Feature) -> list[str]:
    rows, learned = found.rows, found.handover.learned
    if not rows.sources.features[f]:
        is_asked = bool(learned.is_asked[f])
        return [say("not in the file, so it is missing in every row")] if is_asked else []
    parts, unknown = [], np.flatnonzero(rows.unknown[:, f])
    if len(unknown):
        known = {"rows": rows_words(len(unknown)), "shown": _examples(rows, unknown, f)}
        is_number = not feature.categories
        parts.append(say("no number in {rows} ({shown})" if is_number else "unknown in {rows} ({shown})", **known))
    if n := int((np.isnan(rows.X[:, f]) & ~rows.unknown[:, f]).sum()):
        is_new = not learned.has_missing[f]
        said = {"rows": rows_words(n)}
        parts.append(say("missing in {rows}, never where it learned" if is_new else "missing in {rows}", **said))
    return [*parts, *_outside_words(found, f, feature)]


def _examples(rows: NewRows, unknown: np.ndarray, f: int) -> str:
    """Return the first unknown values of a column, each once."""
    texts = dict.fromkeys(short(rows.cell(int(row), f)) for row in unknown[: 20 * MOST_EXAMPLES])
    return ", ".join(f"“{text}”" for text in list(texts)[:MOST_EXAMPLES])


def _outside_words(found: ScoredRowSet, f: int, feature: Feature) -> list[str]:
    learned, x = found.handover.learned, found.rows.X[:, f]
    with np.errstate(invalid="ignore"):
        n = int(((x < learned.low[f]) | (x > learned.high[f])).sum())
    if not n:
        return []
    low, high = (in_words(feature, float(end), DIGITS) for end in (learned.low[f], learned.high[f]))
    return [say("outside of {low} to {high} in {rows}", low=low, high=high, rows=rows_words(n))]


def short(text: str) -> str:
    """Return a stranger's text on one line, shortened, and without what could act as markup of direction."""
    plain = inert(" ".join(text.split()))
    return plain if len(plain) <= MOST_LETTERS else f"{plain[: MOST_LETTERS - 1]}…"


def rows_words(n: int) -> str:
    """Return a number of rows in words: "1 row", "2,000 rows"."""
    return say("{n} row" if n == 1 else "{n} rows", n=count(n))


def sources_words(sources: ColumnSources, dataset: Dataset) -> list[tuple[str, str]]:
    """Return the features whose column in the file is called otherwise, each with that column's name."""
    pairs = zip(dataset.features, sources.features, strict=True)
    return [(feature.name, source) for feature, source in pairs if source and source != feature.name]


# ---- the outcome


def outcome_words(found: ScoredRowSet) -> str:
    """Return how many rows are for an expert."""
    for_expert = found.handover.is_for_expert
    n, total = int(for_expert.sum()), len(for_expert)
    share = percent(round(n / total, 3)) if total else "–"
    return say("**{n}** of {total} are for an expert ({share}).", n=count(n), total=rows_words(total), share=share)


def hits_words(every: Hits, answered: Hits, is_classification: bool) -> str:
    """Return how often the answers are right where the file tells the truth; empty where it does not."""
    if not every.n:
        return ""
    what = _hits(every, is_classification)
    if not answered.n or answered.n == every.n:
        return say("The file has the truth of {rows}: {what}.", rows=rows_words(every.n), what=what)
    return say(
        "The file has the truth of {rows}: {what}; of the {n} that are not for an expert {answered}.",
        rows=rows_words(every.n),
        what=what,
        n=count(answered.n),
        answered=_hits(answered, is_classification),
    )


def _hits(one: Hits, is_classification: bool) -> str:
    if not is_classification:
        return say("answers are off by {error} on average", error=number(one.mean))
    share, low, high = (percent(round(x, 3)) for x in (one.mean, one.low, one.high))
    return say("{share} are right ({low} to {high})", share=share, low=low, high=high)
