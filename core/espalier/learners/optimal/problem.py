"""Rows, costs and questions as the searches take them: bits for branch and bound, ranks for sorted columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions, midpoint
from espalier.kernels.optimal.bitset import MAX_DEPTH, WORD, Problem, SearchLevel, make_level, stride_of
from espalier.kernels.optimal.branch_and_bound import UNKNOWN
from espalier.kernels.optimal.depth_two import LARGE, SPLITS
from espalier.language import Refusal
from espalier.trees import read_only

LEAST_SCALE = 10_000  # numbers have a common measure if their ratios have at most this denominator
FINEST = 2.0**16  # else the greatest number is scaled to at most this
MOST = LARGE // SPLITS - 1  # most that can be saved, in whole numbers
MOST_QUESTIONS = 65_000  # most questions that an entry of the table can number
MOST_ROOM_MB = 2048  # for counts of pairs of questions, in all threads
PLANE_WORDS = 8  # a plane costs about as much time as so many words


class SearchLimits(NamedTuple):
    """Limits of the tree's size, and memory and threads of the search."""

    max_depth: int
    max_splits: int
    fewest: bool  # whether to find, of equally good trees, one with the fewest splits
    max_memory: float  # MB
    n_jobs: int
    leaf_share: float = 0.0  # least share of all weight in a leaf

    @property
    def depth(self) -> int:
        """The most splits on the way to a leaf, of so many splits."""
        return min(self.max_depth, self.max_splits)

    @property
    def has_few_splits(self) -> bool:
        """Whether there may be fewer splits than the depth allows."""
        return self.max_splits < 2**self.max_depth - 1

    def splits_below(self, left: int) -> int:
        """Return the most splits of a subtree with `left` splits on a path at most; below 0 for none at all."""
        return min(self.max_splits - (self.max_depth - left), 2**left - 1)

    def pair_bytes(self, n_counted: int) -> float:
        """Return the bytes for counts of a pair of questions; `n_counted` are the classes, and weights."""
        return 4.0 * n_counted * self.max_depth * self.n_jobs


class Costs(NamedTuple):
    """Costs of mistakes in whole numbers: cost = whole / scale, up to a rounding error."""

    weight: np.ndarray  # (n_samples,) int64
    matrix: np.ndarray  # (n_classes, n_classes) int64: [true, predicted]
    scale: float
    error: float  # bound on the rounding error of any tree's cost


class DistinctQuestions(NamedTuple):
    """The distinct questions: equal ones, also up to complement, are represented by the first."""

    question: np.ndarray  # (n_columns,) int64: the first of the questions that a column represents
    flipped: np.ndarray  # (n_columns,) bool: 1 in the column means the answer no
    bits: np.ndarray  # (n_samples, n_columns) bool


class MergedRows(NamedTuple):
    """Rows with equal answers, merged."""

    bits: np.ndarray  # (n_groups, n_columns) bool; or ranks, whole numbers
    earned: np.ndarray  # (n_groups, n_classes) int64: cost saved by predicting the class
    worth: np.ndarray  # (n_groups,) int64: the most that can be saved
    weight: np.ndarray  # (n_groups,) int64
    unavoidable: int  # cost of the best predictions for all groups


def whole_costs(weight: np.ndarray, matrix: np.ndarray, most: int = MOST) -> Costs:
    """Return the weights (n_samples,) and the cost matrix in whole numbers, exactly if they have a common measure.

    Costs are scaled first, because they are few; the weights get the remaining range. Where both are rounded, the
    range is shared out so that both errors are alike. All samples together cost `most` at most.
    """
    finest = min(FINEST, most / 2 / len(weight))
    costs = _whole_costs(weight, matrix, most, finest)
    if costs.error > 0:
        even = _whole_costs(weight, matrix, most, min(finest, math.sqrt(most / len(weight))))
        costs = min(costs, even, key=lambda each: each.error)
    return costs


def _whole_costs(weight: np.ndarray, matrix: np.ndarray, most: int, finest: float) -> Costs:
    """Return the costs in whole numbers of which the greatest has about `finest` steps."""
    worst = max(float(matrix.max()), 1e-300)
    prices, per = _scale_up(matrix, finest / worst)
    room = most / max(int(prices.max()), 1) - len(weight)  # each may be rounded up
    counts, by = _scale_up(weight, room / float(weight.sum()))
    wrong = np.abs(counts / by - weight).sum() * matrix.max() + weight.sum() * np.abs(prices / per - matrix).max()
    return Costs(counts, prices, by * per, float(wrong) if wrong > 1e-9 * weight.sum() * worst else 0.0)


def _scale_up(values: np.ndarray, most: float) -> tuple[np.ndarray, float]:
    """Return the values as whole numbers of at most `most`, with their scale.

    Exact if they have a common measure.
    """
    positive = values[values > 0]
    positive = positive[:1] if (positive == positive[:1]).all() else np.unique(positive)  # sorting takes longer
    least = float(positive[0]) if len(positive) else 1.0
    ratios = positive / least
    if len(positive) <= LEAST_SCALE and ratios.max(initial=1.0) <= MOST:
        parts = [Fraction(float(ratio)).limit_denominator(LEAST_SCALE) for ratio in ratios]
        near = all(abs(float(part) - ratio) <= 1e-12 * ratio for part, ratio in zip(parts, ratios, strict=True))
        measure = math.lcm(*(part.denominator for part in parts))
        if near and measure <= most * least:
            return np.rint(values * (measure / least)).astype(np.int64), measure / least
    scale = min(FINEST / float(positive[-1]), most)
    return np.rint(values * scale).astype(np.int64), scale


def least_weight(counts: np.ndarray, weight: np.ndarray, share: float) -> int:
    """Return the least sum of whole weights `counts` that is this share of `weight` (n_samples,); 0 for no share.

    Rounded weights raise it by as much as rounding may exaggerate the share of some samples.
    """
    if share <= 0:
        return 0
    total = int(counts.sum())
    seeming = np.abs(counts / total - weight / weight.sum()).sum() / 2
    # A relative difference of a billionth is rounding.
    return max(math.ceil((share + (seeming if seeming > 1e-9 else 0.0) - 1e-9) * total), 1)


def heavy_columns(columns: DistinctQuestions, counts: np.ndarray, least: int) -> DistinctQuestions:
    """Keep the columns both of whose answers have the least weight of a leaf; `counts` are the whole weights."""
    ones = counts @ columns.bits
    is_heavy = np.minimum(ones, counts.sum() - ones) >= least
    return DistinctQuestions(columns.question[is_heavy], columns.flipped[is_heavy], columns.bits[:, is_heavy])


def no_columns(n_samples: int) -> DistinctQuestions:
    """Return the columns of a search that has none, or none yet."""
    return DistinctQuestions(np.empty(0, np.int64), np.empty(0, bool), np.empty((n_samples, 0), bool))


def distinct_columns(bits: np.ndarray) -> DistinctQuestions:
    """Return the distinct, non-constant columns of the answers (n_samples, n_questions) bool."""
    n = len(bits)
    n_yes = bits.sum(axis=0)
    varying = np.flatnonzero((n_yes > 0) & (n_yes < n))
    first: dict[bytes, int] = {}
    for place, key in enumerate(column_keys(bits[:, varying])):
        first.setdefault(key, place)
    question = varying[list(first.values())].astype(np.int64)
    is_flipped = 2 * n_yes[question] > n
    return DistinctQuestions(question, is_flipped, bits[:, question] ^ is_flipped)


def column_keys(bits: np.ndarray) -> list[bytes]:
    """Return a key of each column, (n_samples, n_columns) bool, equal for columns that are equal or opposite."""
    return [column.tobytes() for column in np.packbits(bits ^ bits[:1], axis=0).T.copy()]


def varying_columns(bits: np.ndarray, last: np.ndarray) -> DistinctQuestions:
    """Return all columns of the answers (n_samples, n_questions) that vary, those of the mask `last` at the end.

    Columns that are equal stay apart, because questions that samples answer alike part the space differently.
    """
    n_yes = bits.sum(axis=0)
    varying = np.flatnonzero((n_yes > 0) & (n_yes < len(bits)))
    question = varying[np.argsort(last[varying], kind="stable")]
    return DistinctQuestions(question, np.zeros(len(question), dtype=bool), bits[:, question])


def merge_rows(bits: np.ndarray, label: np.ndarray, costs: Costs) -> MergedRows:
    """Merge rows with equal answers, or ranks, with the costs that each prediction saves.

    `bits` (n_samples, n_columns) are the answers, `label` (n_samples,) class numbers.
    """
    first, group = group_rows(bits)
    n_classes = len(costs.matrix)
    counts = np.bincount(group * n_classes + label, costs.weight, len(first) * n_classes)
    counts = counts.astype(np.int64).reshape(len(first), n_classes)
    cost, weight = counts @ costs.matrix, counts.sum(axis=1)
    worst, best = cost.max(axis=1), cost.min(axis=1)
    return MergedRows(bits[first], worst[:, None] - cost, worst - best, weight, int(best.sum()))


def fixed_bits(columns: DistinctQuestions, labels: FixedLabels) -> np.ndarray:
    """Return the columns of the made-up samples, (n, n_columns) bool."""
    return labels.answers[:, columns.question] ^ columns.flipped


class FixedLabels(NamedTuple):
    """Made-up samples without weight, whose labels a tree should give; breaking one has a price."""

    answers: np.ndarray  # (n, n_questions) bool
    label: np.ndarray  # (n,) int64
    price: int  # in whole costs


def counted_once(rows: MergedRows) -> MergedRows:
    """Return the rows with a weight of 1 for each group, so that a leaf of this weight holds one of them."""
    return rows._replace(weight=np.ones_like(rows.weight))


def append_labels(rows: MergedRows, bits: np.ndarray, labels: FixedLabels) -> MergedRows:
    """Append a row for each made-up sample; `bits` are those of these rows."""
    worth = np.full(len(bits), labels.price)
    gains = worth[:, None] * (np.arange(rows.earned.shape[1]) == labels.label[:, None])
    more = bits, gains, worth, np.zeros(len(bits), np.int64)
    bits, gains, worth, weight = (np.concatenate(pair) for pair in zip(rows[:4], more, strict=True))
    return MergedRows(bits, gains, worth, weight, rows.unavoidable)


def group_rows(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a row of each group of equal rows, and the group of each row."""
    names = bits @ _random(0, (bits.shape[1],))
    order = np.argsort(names)  # np.unique takes longer
    is_first = np.diff(names[order], prepend=names[order[:1]] - 1) != 0
    first, group = order[is_first], np.empty(len(order), np.int64)
    group[order] = np.cumsum(is_first) - 1
    same = np.flatnonzero(~is_first)
    if (bits[order[same]] == bits[order[same - 1]]).all():
        return first, group
    # two different rows with equal hashes
    _, first, group = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()


class Planes(NamedTuple):
    """Groups of rows in units, plane after plane, with a factor each: see `kernels.optimal.bitset`."""

    groups: list[np.ndarray]  # of each plane: the group of each of its units
    factor: list[int]
    plane: list[int]  # first plane of each class, then of the worths; last the end of these planes
    scales: list[int]  # first plane of the groups' weights, and the end of these planes


def lay_planes(rows: MergedRows, least: int = 0) -> Planes:
    """Return planes of saved costs by class; of worths, if a group can save for several classes; of idle groups.

    Also of the groups' weights, if a leaf has a least weight.
    """
    planes = Planes([], [], [0], [])
    amounts = list(rows.earned.T)
    amounts.append(rows.worth if ((rows.earned > 0).sum(axis=1) > 1).any() else np.zeros_like(rows.worth))
    for amount in amounts:
        _add_planes(planes, amount)
        planes.plane.append(len(planes.factor))
    planes.scales.append(len(planes.factor))
    if least > 0:
        _add_planes(planes, rows.weight)
    planes.scales.append(len(planes.factor))
    _add_plane(planes, np.flatnonzero(rows.worth == 0), 0)
    return planes


def _add_planes(planes: Planes, amount: np.ndarray) -> None:
    """Append planes that together hold the amount of each group."""
    measure = max(int(np.gcd.reduce(amount)), 1)  # the scale of a class's weight should not add planes
    counts = amount // measure
    bits = _bits_apart(counts)
    for bit in range(bits):
        _add_plane(planes, np.flatnonzero(counts >> bit & 1), measure << bit)
    _add_plane(planes, np.repeat(np.arange(len(counts)), counts >> bits), measure << bits)


def _add_plane(planes: Planes, groups: np.ndarray, factor: int) -> None:
    if len(groups):
        planes.groups.append(groups)
        planes.factor.append(factor)


def _bits_apart(amount: np.ndarray) -> int:
    """Return how many of the lowest bits get planes of their own; higher bits are repeated units of one plane."""
    top = int(amount.max(initial=0)).bit_length()
    words = [-(-int(np.count_nonzero(amount >> bit & 1)) // WORD) for bit in range(top)]
    costs = [
        sum(words[:bits]) + -(-int((amount >> bits).sum()) // WORD) + PLANE_WORDS * (bits + 1)
        for bits in range(max(top, 1))
    ]
    return int(np.argmin(costs))


def make_problem(planes: Planes, max_depth: int, fewest: bool, least: int = 0) -> Problem:
    """Return the problem, with fixed random numbers; `least` is the weight of a leaf."""
    salt = _random(1, (MAX_DEPTH + 1 + 2**MAX_DEPTH,))
    factor = np.array(planes.factor, dtype=np.int32)
    plane, scales = np.array(planes.plane), np.array(planes.scales)
    return Problem(plane, factor, salt, 1 << max_depth, int(fewest), True, scales, least)


@lru_cache(64)
def _random(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(seed).integers(-(2**63), 2**63, shape, dtype=np.int64)


def packed_rows(planes: Planes, rows: MergedRows, depths: int) -> SearchLevel:
    """Return workspace for a search of this depth, with all rows packed at depth 0."""
    words = [-(-len(groups) // WORD) for groups in planes.groups]
    start = np.concatenate([[0], np.cumsum(words, dtype=np.int64)])
    n_classes = rows.earned.shape[1]
    weighs = planes.scales[0] < planes.scales[1]
    n_counted = n_classes + int(weighs)
    n, stride = rows.bits.shape[1], stride_of(rows.bits.shape[1])
    level = make_level(depths, int(start[-1]) + 2, len(words), n, n_classes, n_counted)
    names = _random(2, (2, len(level.name[0, 0])))
    grid = level.words[0].view(np.uint32).reshape(-1, stride)
    level.start[0], level.shape[0], level.question[0, :n] = start, (n, stride), np.arange(n)
    for groups, first, end in zip(planes.groups, start, start[1:], strict=False):
        units = np.zeros(((end - first) * WORD, n + 1), dtype=bool)
        units[: len(groups), :n] = rows.bits[groups]
        units[: len(groups), n] = True
        packs = np.packbits(units, axis=0, bitorder="little")
        grid[first:end, : n + 1] = packs.T.copy().view("<u4").T
        places = slice(first * WORD, first * WORD + len(groups))
        level.name[0, :, places] = names[:, places]
    level.high[0] = UNKNOWN
    level.rows[0] = np.bitwise_xor.reduce(level.name[0], axis=1)
    return level


def has_room(n_questions: int, pair_bytes: float) -> bool:
    """Return whether a search for which each pair of questions takes so many bytes has room."""
    return n_questions <= MOST_QUESTIONS and _room(n_questions, pair_bytes) <= MOST_ROOM_MB


def _room(n_questions: int, pair_bytes: float) -> float:
    return n_questions * stride_of(n_questions) * pair_bytes / 2**20


def check_room(n_questions: int, pair_bytes: float) -> None:
    """Raise ValueError where a search for which each pair of questions takes so many bytes has no room."""
    if not has_room(n_questions, pair_bytes):
        raise Refusal(
            "for {n} different questions the search would need {room} MB of at most {most}; lower "
            "max_thresholds, or leave columns out",
            n=n_questions,
            room=round(_room(n_questions, pair_bytes)),
            most=MOST_ROOM_MB,
        )


# ---- Columns of ranks, which stand for questions with nested answers

FEW = 8  # names of a column that are looked up
MOST_JOINED = 2_000_000_000  # rows times columns squared, up to which it is looked whether answers are nested


class RankedColumns(NamedTuple):
    """Columns of ranks: a question at place j of a column's questions is answered yes for ranks of at most j."""

    rank: np.ndarray  # (n_samples, n_columns) int32: how many of a column's questions are answered no
    question: list[np.ndarray]  # of each column: the numbers of its questions, from the one with the fewest yes
    n_distinct: int  # number of questions that separate the samples differently
    direction: np.ndarray  # (n_columns,) int64: 1 where labels may only rise with the ranks, -1 fall; else 0


def every_threshold(X: np.ndarray) -> tuple[Questions, RankedColumns] | None:
    """Return what `every_question` and `ranked_columns` return for numbers (n_samples, n_features), sooner.

    Each column is sorted only once. None if values are missing.

    >>> questions, columns = every_threshold(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0]]))
    >>> questions.threshold.tolist(), columns.rank.tolist()
    ([1.5, 2.5, 6.0], [[0], [1], [2]])
    """
    values = np.ascontiguousarray(X.T)
    order = np.argsort(values, axis=1)
    place = order + np.arange(len(values))[:, None] * values.shape[1]
    ascending = values.ravel()[place]
    if np.isnan(ascending[:, -1]).any():  # missing values come last
        return None
    is_new = ascending[:, 1:] != ascending[:, :-1]
    counts = np.count_nonzero(is_new, axis=1)
    ranks = np.zeros(values.size, np.int32)
    ranks[place[:, 1:]] = np.cumsum(is_new, axis=1)
    below = np.bitwise_xor.accumulate(_salt(values.shape[1])[order], axis=1)  # as in `_names`
    names = np.minimum(below[:, :-1], below[:, :-1] ^ below[0, -1])[is_new]
    number, ends = np.arange(counts.sum()), np.cumsum(counts).tolist()
    parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False) if start < end]
    chains, own = [number[part] for part in parts], [names[part] for part in parts]
    columns = _columns(chains, ranks.reshape(values.shape)[counts > 0], own)
    threshold = midpoint(ascending[:, :-1][is_new], ascending[:, 1:][is_new])
    feature, nothing = np.repeat(np.arange(len(values)), counts), np.zeros(len(number))
    return make_questions(feature, threshold, nothing, nothing), columns


def ranked_columns(questions: Questions, X: np.ndarray, directions: np.ndarray | None = None) -> RankedColumns:
    """Return the fewest columns that hold every question; those that others hold are left out.

    `X` (n_samples, n_features) are the samples. Thresholds of a number are one column, or two if values are
    missing: missing ones answer no, then yes. So are sets of categories that contain one another. With
    `directions` (n_features,) all columns stay that part the samples at all; one with missing values, which have
    no place in the order, has no direction here.

    >>> from espalier.data.binarise import quantile_questions
    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0]])
    >>> found = ranked_columns(quantile_questions(X, None, np.array([False, False]), None), X)
    >>> found.rank.tolist(), found.n_distinct
    ([[0], [1], [2]], 2)
    """
    chains = _chains(questions)
    each = [_ranks(questions, chain, X) for chain in chains]
    salt, ranks = _salt(len(X)), np.array(each, np.int32).reshape(len(chains), len(X))
    names = [_names(rank, salt) for rank in each]
    if directions is None:
        return _columns(chains, ranks, names)
    columns = _columns(chains, ranks, names, [place for place, own in enumerate(names) if len(own)])
    feature = questions.feature[[chain[0] for chain in columns.question]]
    direction = np.where(np.isnan(X).any(axis=0), 0, directions)[feature].astype(np.int64)
    return columns._replace(direction=direction)


def _columns(
    chains: list[np.ndarray], ranks: np.ndarray, names: list[np.ndarray], places: list[int] | None = None
) -> RankedColumns:
    """Return the columns at these `places`, by default the fewest that hold every question.

    `ranks` (n_chains, n_samples) int32 are all there are.
    """
    together = np.sort(np.concatenate([np.empty(0, np.int64), *names]))  # np.unique takes longer
    n_distinct = int(np.count_nonzero(together[1:] != together[:-1])) + (len(together) > 0)
    if places is None:
        places = list(range(len(chains))) if _differ(names, together) else _necessary_columns(names)
    rank, question = np.ascontiguousarray(ranks[places].T), [chains[place] for place in places]
    return RankedColumns(rank, question, n_distinct, np.zeros(len(places), np.int64))


@lru_cache(4)
def _salt(n: int) -> np.ndarray:
    """Return the random numbers of samples that name sets of them, (n,) int64."""
    return read_only(np.random.default_rng(0).integers(0, 2**63, n))


def joined_columns(columns: RankedColumns) -> RankedColumns:
    """Return the columns with those of a single question together, as far as their answers are nested.

    Zeros and ones that stand for thresholds of a number become one column again. Columns have no directions.

    >>> rank = np.array([[0, 0, 1], [1, 0, 0], [1, 1, 0]], np.int32)
    >>> found = joined_columns(RankedColumns(rank, [np.array([0]), np.array([1]), np.array([2])], 3, np.zeros(3)))
    >>> found.rank.tolist(), [asked.tolist() for asked in found.question]
    ([[0, 1], [1, 0], [2, 0]], [[0, 1], [2]])
    """
    is_single = np.array([len(own) == 1 for own in columns.question], dtype=bool)
    n, singles = len(columns.rank), np.flatnonzero(is_single)
    if len(singles) < 2 or n * len(singles) ** 2 > MOST_JOINED:
        return columns
    yes = columns.rank.T[singles] == 0
    places = np.argsort(yes.sum(axis=1), kind="stable").tolist()  # from the one with the fewest yes
    rows = _nested_rows(places, lambda small, large: not (yes[small] & ~yes[large]).any())
    rest = np.flatnonzero(~is_single)
    together = [np.count_nonzero(~yes[row], axis=0) for row in rows]
    rank = np.column_stack([columns.rank[:, rest], *together]).astype(np.int32)
    numbers = [np.array([columns.question[singles[place]][0] for place in row]) for row in rows]
    question = [*(columns.question[place] for place in rest), *numbers]
    return RankedColumns(rank, question, columns.n_distinct, np.zeros(len(question), np.int64))


def fixed_ranks(columns: RankedColumns, answers: np.ndarray) -> np.ndarray:
    """Return the ranks of samples from their answers (n, n_questions), (n, n_columns) int32."""
    ranks = [np.count_nonzero(~answers[:, numbers], axis=1) for numbers in columns.question]
    return np.array(ranks, np.int32).reshape(len(ranks), len(answers)).T


def _differ(names: list[np.ndarray], together: np.ndarray) -> bool:
    """Return whether each column has a name, among a few of its own, that no other has; all `together` ascend."""
    few = [own[:: max(len(own) // FEW, 1)] for own in names]
    counts = [np.searchsorted(together, own, side="right") - np.searchsorted(together, own) for own in few]
    return all((count == 1).any() for count in counts)


def _necessary_columns(names: list[np.ndarray]) -> list[int]:
    """Return the columns, in order, of which the larger ones do not hold all names."""
    order = sorted(range(len(names)), key=lambda place: -len(names[place]))
    owner = np.repeat(order, [len(names[place]) for place in order])
    together = np.concatenate([names[place] for place in order])
    sorting = np.argsort(together, kind="stable")  # of equal names the one of the larger column comes first
    is_first = np.diff(together[sorting], prepend=together[sorting[:1]] - 1) != 0
    return np.unique(owner[sorting[is_first]]).tolist()


def _chains(questions: Questions) -> list[np.ndarray]:
    """Return the numbers of questions with nested answers, together."""
    is_set = questions.categories > 0
    numbers, sets = np.flatnonzero(~is_set), np.flatnonzero(is_set)
    chains = _parts(questions, numbers)
    for part in _parts(questions, sets):
        chains.extend(_chains_of_sets(part, questions.categories[part].tolist()))
    return chains


def _parts(questions: Questions, numbers: np.ndarray) -> list[np.ndarray]:
    """Return the questions of these numbers by column, and by where missing values go; thresholds ascend."""
    about = [field[numbers] for field in (questions.feature, questions.missing_left, questions.threshold)]
    is_new = about[0][1:] != about[0][:-1]
    if about[1].any() or (~is_new & (about[2][1:] < about[2][:-1])).any():  # sorting takes long
        order = np.lexsort(about[::-1])
        about, numbers = [field[order] for field in about], numbers[order]
        is_new = (about[0][1:] != about[0][:-1]) | (about[1][1:] != about[1][:-1])
    return np.split(numbers, np.flatnonzero(is_new) + 1) if len(numbers) else []


def _chains_of_sets(numbers: np.ndarray, masks: list[int]) -> list[np.ndarray]:
    """Return questions about sets of categories in few rows, each set within the next one of its row.

    Smaller sets come first. All sets take about as few rows as there are sets of half of the categories, of which
    none contains another.
    """
    places = sorted(range(len(masks)), key=lambda place: (masks[place].bit_count(), masks[place]))
    rows = _nested_rows(places, lambda small, large: masks[small] & ~masks[large] == 0)
    return [numbers[row] for row in rows]


def _nested_rows(places: list[int], is_within: Callable[[int, int], bool]) -> list[list[int]]:
    """Return the places in rows, each within the next one of its row: each ends the first row that it fits."""
    rows: list[list[int]] = []
    for place in places:
        row = next((row for row in rows if is_within(row[-1], place)), None)
        if row is None:
            rows.append([place])
        else:
            row.append(place)
    return rows


def _ranks(questions: Questions, chain: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return how many questions of the chain each sample answers no, (n_samples,)."""
    first = chain[0]
    if questions.categories[first]:
        yes = answers(make_questions(*(field[chain] for field in questions)), X)
        return np.count_nonzero(~yes, axis=1)
    values = X[:, questions.feature[first]]
    order = np.argsort(values) if 2 * len(chain) > len(values) else slice(None)  # in order, many are found sooner
    rank = np.empty(len(values), np.int64)
    rank[order] = np.searchsorted(questions.threshold[chain], values[order])
    return np.where(np.isnan(values), 0, rank) if questions.missing_left[first] else rank


def _names(rank: np.ndarray, salt: np.ndarray) -> np.ndarray:
    """Return names of the two sets that each question of a column parts, equal for equal partitions.

    `salt` are random numbers of the samples.
    """
    counts = np.bincount(rank)
    names = np.zeros(len(counts), np.int64)
    np.bitwise_xor.at(names, rank, salt)
    below = np.bitwise_xor.accumulate(names)
    parts = np.flatnonzero(counts)[:-1]
    return np.minimum(below[parts], below[parts] ^ below[-1:])
