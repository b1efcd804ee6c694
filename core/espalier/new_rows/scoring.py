"""New rows scored by a fitted model, and a test whether they are like the rows that it learned from."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.comparison.scores import one_score, wilson
from espalier.data.columns.new_rows import ColumnSources, NewRows, new_rows
from espalier.data.dataset import Dataset
from espalier.data.folds import strata_of
from espalier.data.options import CLOCK, DURATION
from espalier.data.roles import RowLabels
from espalier.display.tables import named, to_csv
from espalier.explanation.dependence import can_explain
from espalier.explanation.shapley import LOG_ODDS, shapley_values
from espalier.kinds import trees_of
from espalier.language import english, say
from espalier.learners.forests.random import RandomForestClassifier
from espalier.new_rows.answers import (
    AnswersWithTruth,
    RowAnswers,
    TableModel,
    answers_to,
    asked_features,
    judge_answers,
    losses,
    promised_ends,
    promised_limit,
    promised_sets,
)
from espalier.predict import record_of
from espalier.progress import Progress
from espalier.reliability.reliability import ANSWER, Goal, choose, evidence
from espalier.trees import Forest, Tree

N_LEADING = 3
MOST_VALUES = 4_000_000  # Shapley values in memory together
LEAST = 1e-9  # smaller ones are none


class LeadingParts(NamedTuple):
    """The columns that add most to each answer, or take most away."""

    feature: np.ndarray  # (n_rows, n_leading) int64; -1 where fewer matter
    added: np.ndarray  # (n_rows, n_leading) float64, in the units of `link`
    link: str  # as in `espalier.explanation.shapley.PredictionParts`


def explainable_record(model: TableModel) -> Tree | Forest | None:
    """Return the record of a model whose answers have Shapley values; None for other models."""
    record = record_of(model.estimator)
    return record if isinstance(record, (Tree, Forest)) and can_explain(record) else None


def work_of(model: TableModel, n_rows: int) -> int:
    """Return the rows times the nodes that have to be looked at."""
    record = explainable_record(model)
    return n_rows * sum(tree.n_nodes for tree in trees_of(record) if isinstance(tree, Tree))


def leading_parts(
    model: TableModel, X: np.ndarray, said: RowAnswers, progress: Progress | None = None, n_jobs: int | None = None
) -> LeadingParts | None:
    """Return the columns that matter most to the answer `said` of each row of X (n_rows, n_features).

    `progress` counts rows; None where it was stopped, and of models without Shapley values.

    >>> from espalier.new_rows.answers import answers_to
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=1).fit(iris.X, iris.y), iris, every, ~every)
    >>> leading = leading_parts(model, iris.X[:1], answers_to(model, iris.X[:1]))
    >>> leading.feature.tolist(), leading.added.round(2).tolist()
    ([[2, -1, -1]], [[0.67, 0.0, 0.0]])
    """
    record = explainable_record(model)
    if record is None:
        return None
    n_outputs, n_features = said.answers.shape[1], X.shape[1]
    block = max(MOST_VALUES // (n_outputs * n_features), 64)
    parts = []
    for start in range(0, len(X), block):
        span = slice(start, start + block)
        values = shapley_values(record, np.asfortranarray(X[span]), n_jobs=n_jobs).added
        parts.append(_greatest(_answer_values(record, model, values, said.prediction[span])))
        if progress is not None:
            progress.advance(len(values))
            if progress.is_stopped:
                return None
    feature, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    link = record.link if isinstance(record, Forest) else "identity"
    return LeadingParts(feature, values, link)


def _answer_values(
    record: Tree | Forest, model: TableModel, added: np.ndarray, prediction: np.ndarray
) -> np.ndarray:
    """Return the values (n_rows, n_features) of the class that is said of each row, or of the number."""
    if not model.dataset.is_classification:
        return added[:, :, 0]
    classes = np.asarray(model.estimator.classes_)
    place = np.searchsorted(classes, prediction)
    if isinstance(record, Forest) and record.link == LOG_ODDS[0]:  # one score, that of the second class
        return added[:, :, 0] * np.where(place == 1, 1.0, -1.0)[:, None]
    return added[np.arange(len(added)), :, place]


def _greatest(added: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of the values that are greatest in size, and these, (n_rows, N_LEADING) each."""
    n_rows, n_features = added.shape
    feature, value = np.full((n_rows, N_LEADING), -1), np.zeros((n_rows, N_LEADING))
    n = min(N_LEADING, n_features)
    order = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :n]
    value[:, :n] = np.take_along_axis(added, order, axis=1)
    feature[:, :n] = np.where(np.abs(value[:, :n]) > LEAST, order, -1)
    return feature, np.where(feature < 0, 0.0, value)


class Handover(NamedTuple):
    """The reasons to hand rows over; of columns those alone that the model asks about."""

    threshold: float  # of doubt; inf: none is too doubtful
    doubted: np.ndarray  # (n_rows,) bool: above the threshold
    unsettled: np.ndarray  # (n_rows,) bool: trees as good say different classes
    unknown: np.ndarray  # (n_rows, n_features) bool: a category that the column did not have, or no number
    outside: np.ndarray  # (n_rows, n_features) bool: below or above all that the model learned from
    missing: np.ndarray  # (n_rows, n_features) bool: missing, which it never was where the model learned
    absent: np.ndarray  # (n_rows, n_features) bool: a column that the file has not, on which the answer hangs
    low: np.ndarray  # (n_features,) least number that the model learned from; -inf for categories
    high: np.ndarray  # (n_features,) greatest number that it learned from; inf for categories

    @property
    def is_for_expert(self) -> np.ndarray:
        """Return whether there is any reason, (n_rows,) bool."""
        columns = self.unknown | self.outside | self.missing | self.absent
        return self.doubted | self.unsettled | columns.any(axis=1)


def learned_range(model: TableModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the least and greatest number that the model learned from of each column, and where some are missing.

    (n_features,) each; categories have the ends -inf and inf. Of a model that says nothing of it, of all rows.
    """
    data = model.dataset
    rows = data.X[model.seen] if model.seen.any() else data.X
    is_number = np.array([not feature.categories for feature in data.features])
    low, high = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    has_missing = np.asarray(np.isnan(rows).any(axis=0))
    return np.where(is_number, low, -np.inf), np.where(is_number, high, np.inf), has_missing


def hand_over(model: TableModel, rows: NewRows, said: RowAnswers, threshold: float) -> Handover:
    """Return which rows are for an expert, where the model may answer up to a threshold of doubt.

    >>> import pandas as pd
    >>> from espalier.new_rows.answers import answers_to
    >>> from espalier.data import samples
    >>> from espalier.data.columns.new_rows import new_rows
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=2).fit(iris.X, iris.y), iris, every, ~every)
    >>> rows = new_rows(pd.DataFrame({"petal length": [1.4, 9, 5], "petal width": [0.2, 2, None]}), iris)
    >>> found = hand_over(model, rows, answers_to(model, rows.X), 0.5)
    >>> found.is_for_expert.tolist(), found.outside[1].tolist(), found.missing[2].tolist()
    ([False, True, True], [False, False, True, False], [False, False, False, True])
    """
    low, high, has_missing = learned_range(model)
    with np.errstate(invalid="ignore"):
        outside = (low > rows.X) | (high < rows.X)
    missing = np.isnan(rows.X) & ~rows.unknown & ~has_missing & ~rows.absent
    is_doubted = said.doubt > threshold
    is_unsettled = np.zeros(len(is_doubted), bool) if said.possible is None else said.possible.sum(axis=1) > 1
    is_used = asked_features(model)
    absent = np.zeros(rows.X.shape, bool)
    if said.reach is not None:
        absent[:, list(said.reach.features)] = said.reach.is_open[:, None]
    columns = rows.unknown & is_used, outside & is_used, missing & is_used, absent
    return Handover(threshold, is_doubted, is_unsettled, *columns, low, high)


# ---- new rows scored by a fitted model: its answers, what it promises about them, and the rows for an expert

USUAL = Goal(ANSWER, 0.8)


class ScoringRules(NamedTuple):
    """How doubtful an answer may be, and how often a set, or an interval, is to hold the truth."""

    goal: Goal = USUAL
    level: float = 0.9


class ScoredRowSet(NamedTuple):
    """New rows with what a model says of them; arrays have an entry for each row."""

    rows: NewRows
    said: RowAnswers
    limit: float  # of `promised_limit`; inf where too few rows judge the model, nan where none do
    sets: np.ndarray | None  # (n_rows, n_classes) bool: classes promised to hold the truth; None: no promise
    ends: np.ndarray | None  # (n_rows, 2) of intervals of numbers; None: no promise
    handover: Handover
    leading: LeadingParts | None = None  # None where they were not asked for, or the model has none
    in_groups: bool = False  # whether the rows that judge the model come in groups, which then are counted


class Hits(NamedTuple):
    """How often answers are right, or by how much they are off, among the rows whose truth is known."""

    n: int
    mean: float  # share of right classes, or mean absolute error; nan for no rows
    low: float  # 95 % interval of the share (Wilson); nan of numbers
    high: float


def score_rows(
    model: TableModel, rows: NewRows | pd.DataFrame, rules: ScoringRules | None = None, *, reasons: bool = True
) -> ScoredRowSet:
    """Return what a fitted model says of new rows, what it promises, and which rows are for an expert.

    A data frame is put into the terms of the model's table by the names of its columns. The table's rows that
    judge the model choose the promise and the doubt that is allowed: at first sets that hold the truth in 90 % of
    rows, and answers to the 80 % of rows that are least in doubt. With `reasons`, the columns that matter most to
    each answer are found. Raises TableError where no column fits.

    >>> from espalier.data import HeldOut, held_out, samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> held = held_out(iris, HeldOut(30))
    >>> tree = CartClassifier(max_depth=3).fit(iris.X[~held], iris.y[~held])
    >>> frame = pd.DataFrame({"petal length": [1.4, 9.0], "petal width": [0.2, 2.1]})
    >>> found = score_rows(TableModel(tree, iris, ~held, held), frame)
    >>> found.said.prediction.tolist(), found.sets.sum(axis=1).tolist()
    ([0.0, 2.0], [1, 1])
    >>> found.handover.is_for_expert.tolist()  # a petal of 9 cm is longer than all that the tree has seen
    [False, True]
    """
    there = new_rows(rows, model.dataset) if isinstance(rows, pd.DataFrame) else rows
    answers = answers_to(model, there.X, absent=there.absent)
    assert answers is not None
    leading = leading_parts(model, there.X, answers) if reasons else None
    return apply_rules(model, judge_answers(model), there, answers, rules or ScoringRules())._replace(
        leading=leading
    )


def apply_rules(
    model: TableModel, known: AnswersWithTruth | None, rows: NewRows, said: RowAnswers, rules: ScoringRules
) -> ScoredRowSet:
    """Return the rows with these answers, as the rules and the rows that judge the model have it."""
    limit = math.nan if known is None else promised_limit(known, rules.level)
    is_promised, is_classes = math.isfinite(limit), model.dataset.is_classification
    sets = promised_sets(said, limit) if is_promised and is_classes else None
    ends = promised_ends(said, limit) if is_promised and not is_classes else None
    threshold = math.inf  # where no rows judge the model
    if known is not None:
        weights = evidence(known.weight, known.unit, rules.goal)
        threshold = choose(known.said.doubt, known.loss, rules.goal, weights)
    handover = hand_over(model, rows, said, threshold)
    has_groups = model.dataset.roles.groups is not None
    return ScoredRowSet(rows, said, limit, sets, ends, handover, in_groups=has_groups)


def hits(scoring: ScoredRowSet, among: np.ndarray | None = None) -> Hits:
    """Return how often the answers are right among rows with a known truth, of all or those of a mask.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=1).fit(iris.X, iris.y), iris, every, ~every)
    >>> frame = pd.DataFrame({"petal length": [1.4, 5, 5], "species": ["setosa", "virginica", None]})
    >>> found = hits(score_rows(model, frame))
    >>> found.n, found.mean, round(found.low, 2)
    (2, 0.5, 0.09)
    """
    y = scoring.rows.y
    has_truth = np.zeros(len(scoring.said.doubt), bool) if y is None else ~np.isnan(y)
    has_truth = has_truth if among is None else has_truth & among
    n = int(has_truth.sum())
    if y is None or not n:
        return Hits(0, math.nan, math.nan, math.nan)
    loss = float(losses(scoring.said, y)[has_truth].mean())
    if scoring.said.answers.shape[1] == 1:
        return Hits(n, loss, math.nan, math.nan)
    low, high = wilson(np.array([1 - loss]), np.array([n]))
    return Hits(n, 1 - loss, float(low[0]), float(high[0]))


ALL, EXPERT, WRONG = "all", "expert", "wrong"  # choices of rows


def listed_rows(scored: ScoredRowSet, show: str) -> np.ndarray:
    """Return the rows (indices) of a choice: those for an expert, the most doubted first; errors; or all."""
    if show == EXPERT:
        rows = np.flatnonzero(scored.handover.is_for_expert)
        return rows[np.argsort(-scored.said.doubt[rows], kind="stable")]
    if show == WRONG and scored.rows.y is not None:
        y, prediction = scored.rows.y, scored.said.prediction
        has_truth = ~np.isnan(y)
        if scored.said.answers.shape[1] > 1:
            return np.flatnonzero(has_truth & (prediction != y))
        off = np.where(has_truth, np.abs(prediction - y), -1.0)
        return np.argsort(-off, kind="stable")[: int(has_truth.sum())]
    return np.arange(len(scored.said.doubt))


# ---- drift: are new rows like the old ones, or does something tell them apart?
#
# A forest learns to tell new rows from old ones by their columns, and is asked about each row by the trees that
# have not drawn it. If rows are alike it does no better than guessing. How often it would do as well by luck
# follows from forests that learn the same task with old and new shuffled: under the hypothesis that all rows come
# from one distribution, every shuffle is as likely, so that the test is exact for any number of rows and columns
# (Hediger, Michel & Näf 2022, "On the use of random forest for two-sample testing"; Lopez-Paz & Oquab 2017; p
# values as in Phipson & Smyth 2010). The target is not looked at: its relation to the columns may change while the
# columns do not. Where rows come in groups that are old or new as a whole, groups are shuffled: the rows of a
# group are like each other, and would be told from the rest in any case.

N_SHUFFLES = 99  # forests with old and new shuffled: the smallest p value is 1 in 100
N_TREES, LEAF = 50, 5  # of each forest, and rows in a leaf at least
MOST_ROWS = 1_000  # old ones, and new ones, at most; of more as many drawn at random
FEWEST = 10  # old rows, and new ones, below which nothing is tested
ALPHA = 0.05


class Drift(NamedTuple):
    """Result of the test."""

    auc: float  # how often a new row looks newer than an old one; 0.5: they are alike
    p_value: float
    shuffled: np.ndarray  # (n_shuffles,) the same with old and new shuffled
    use: np.ndarray  # (n_features,) how much the forest uses each column to tell them apart; sums to 1
    n_old: int
    n_new: int

    @property
    def is_found(self) -> bool:
        """Whether rows differ beyond chance, at the 5 % level."""
        return self.p_value <= ALPHA


def drift(
    dataset: Dataset,
    new: np.ndarray,
    n_shuffles: int = N_SHUFFLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Drift:
    """Return whether the rows `new` (n_samples,) bool differ from the others in their columns.

    `progress` counts a step for each shuffle; once it is stopped those that are done make the p value.
    Raises ValueError for fewer than `FEWEST` rows on a side.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> found = drift(iris, iris.X[:, 0] > 6, n_shuffles=19)
    >>> found.is_found, iris.features[found.use.argmax()].name
    (True, 'sepal length')
    """
    rng = np.random.default_rng(seed)
    old_rows, new_rows = _draw_rows(~new, rng), _draw_rows(new, rng)
    if min(len(old_rows), len(new_rows)) < FEWEST:
        raise ValueError(f"{len(old_rows)} old and {len(new_rows)} new rows are too few; give {FEWEST} of each")
    rows = np.concatenate((old_rows, new_rows))
    is_new = (np.arange(len(rows)) >= len(old_rows)).astype(np.int64)
    X, categorical = dataset.X[rows], dataset.categorical
    groups = dataset.roles.groups
    unit = np.arange(len(rows)) if groups is None else groups.codes[rows]
    auc, use = _tell_apart(X, is_new, categorical, seed)
    progress, aucs = progress or Progress(), []
    while len(aucs) < n_shuffles and not progress.is_stopped:
        labels = _shuffle_units(is_new, unit, rng)
        aucs.append(_tell_apart(X, labels, categorical, seed + 1 + len(aucs))[0])
        progress.advance()
    p_value = (1 + np.count_nonzero(np.array(aucs) >= auc)) / (1 + len(aucs))
    return Drift(auc, float(p_value), np.array(aucs), use, len(old_rows), len(new_rows))


def _draw_rows(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the indices of the rows of a mask, or of `MOST_ROWS` of them."""
    there = np.flatnonzero(rows)
    return there if len(there) <= MOST_ROWS else np.sort(rng.choice(there, MOST_ROWS, replace=False))


def _shuffle_units(is_new: np.ndarray, unit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return what is new (n,) int64 among whole units (n,), or among rows where a unit is old and new."""
    _, first, place = np.unique(unit, return_index=True, return_inverse=True)
    unit_is_new = is_new[first]
    return (
        rng.permutation(unit_is_new)[place]
        if np.array_equal(unit_is_new[place], is_new)
        else rng.permutation(is_new)
    )


def _tell_apart(X: np.ndarray, is_new: np.ndarray, categorical: np.ndarray, seed: int) -> tuple[float, np.ndarray]:
    """Return the AUC out of bag of a forest that tells new from old, and its use of columns, (n_features,)."""
    forest = RandomForestClassifier(
        n_estimators=N_TREES, min_samples_leaf=LEAF, oob_score=True, random_state=seed,
        categorical_features=categorical,
    ).fit(X, is_new)  # fmt: skip
    shares = forest.oob_decision_function_
    has_votes = np.isfinite(shares).all(axis=1)
    answers, truth = shares[has_votes], is_new[has_votes]
    return one_score("auc", truth, answers, answers.argmax(axis=1)), forest.feature_importances_


# ---- rows of the table itself: those held out as new ones, and a few as the example of a file

WRITTEN_IN_FULL = ("date", CLOCK, DURATION)  # parts of a moment from which its cell can be written again


def halves(model: TableModel) -> tuple[TableModel, np.ndarray]:
    """Return the model with every second row held out to judge it, and the other rows (indices), which are scored.

    Rows that belong together stay on one side, and later rows are scored where rows have times.
    """
    data, judges = model.dataset, np.flatnonzero(model.judges)
    is_new = np.zeros(len(data.y), bool)
    is_new[judges[_second(data, judges)]] = True
    return model._replace(judges=model.judges & ~is_new), np.flatnonzero(is_new)


def _second(data: Dataset, held: np.ndarray) -> np.ndarray:
    """Return which of these rows (indices) are of the second half, (n,) bool."""
    roles = data.roles
    if roles.groups is not None:
        codes = roles.groups.codes[held]
        return np.unique(codes, return_inverse=True)[1] % 2 == 1
    by = strata_of(data.y[held]) if roles.times is None else -roles.times.values[held]
    order = np.argsort(by, kind="stable")
    second = np.zeros(len(held), bool)
    second[order[1::2] if roles.times is None else order[: len(order) // 2]] = True
    return second


def new_rows_of(data: Dataset, rows: np.ndarray) -> NewRows:
    """Return rows of the table (indices) as new ones, under their labels, or their numbers in the table."""
    labels = data.roles.of(rows).labels or RowLabels(say("row of the table"), tuple(str(row + 1) for row in rows))
    names = tuple(feature.name for feature in data.features)
    frame = pd.DataFrame(
        {feature.name: named(feature, data.X[rows, f]) for f, feature in enumerate(data.features)}
    )
    frame[data.target.name] = named(data.target, data.y[rows].astype(float))
    X = np.asfortranarray(data.X[rows])
    sources = ColumnSources(names, data.target.name)
    return NewRows(X, np.zeros(X.shape, bool), data.y[rows].astype(float), labels, sources, frame)


def example_file(data: Dataset, rows: np.ndarray) -> str:
    """Return these rows (indices) as CSV under the names of the table's own file, without the target."""
    columns = {}
    with english():
        if data.roles.labels is not None:
            columns[data.roles.labels.name] = [data.roles.labels.texts[row] for row in rows.tolist()]
        for f, feature in enumerate(data.features):
            if feature.moment is None:
                columns[feature.name if feature.origin is None else feature.origin.name] = named(
                    feature, data.X[rows, f]
                )
            elif feature.moment.part in WRITTEN_IN_FULL:
                columns[feature.moment.column] = named(feature, data.X[rows, f])
        return to_csv(pd.DataFrame(columns))
