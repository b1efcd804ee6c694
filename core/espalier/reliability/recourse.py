"""Where another prediction lies, over two features that may change: the region of recourse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.comparison.cross_validation import answers_of
from espalier.data.dataset import Dataset
from espalier.predict import samples_over
from espalier.reliability.changeable import ValueRange, changed_to, value_range
from espalier.reliability.explanation import Story, differs_of

CELLS = 40  # along a number


class RecoursePlane(NamedTuple):
    """Predictions over two features, with the sample's other values, or those of the change where it has more."""

    features: tuple[int, int]  # along x, and y
    edges: tuple[np.ndarray, np.ndarray]  # ascending; cell i reaches from edge i to edge i + 1
    answers: np.ndarray  # (n_y, n_x, n_outputs)
    is_other: np.ndarray  # (n_y, n_x) bool: another prediction than the sample's, or that of the aim
    is_allowed: np.ndarray  # (n_y, n_x) bool: whether the two features may change to this cell
    now: tuple[float, float]
    then: tuple[float, float]  # after the smallest change


def recourse_plane(
    estimator: Any, dataset: Dataset, story: Story, axes: Sequence[int] = ()
) -> RecoursePlane | None:
    """Return the plane of the two features that the smallest change moves most.

    Where it moves one, the second is the feature that would do it alone with the least change, or the first of the
    others in `axes`. If all that the change moves is among two `axes`, these are the plane's. None without a
    change, without a second feature, or where a value is missing.

    >>> from espalier.reliability.explanation import story
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> model = CartClassifier(max_depth=3).fit(iris.X, iris.y)
    >>> plane = recourse_plane(model, iris, story(model, iris, iris.X[70]))
    >>> [iris.features[f].name for f in plane.features], bool(plane.is_other.any())
    (['petal width', 'petal length'], True)
    """
    features = _features(story, [int(f) for f in axes])
    if features is None or np.isnan(story.x[list(features)]).any():
        return None
    assert story.flip is not None
    rooms = [value_range(dataset, f, float(story.x[f]), story.allowed) for f in features]
    changes = [(change.feature, change.after) for change in story.flip.changes]
    then = changed_to(story.x, changes)
    edges = [_edges(dataset, f, room, float(then[f])) for f, room in zip(features, rooms, strict=True)]
    middles = [(each[1:] + each[:-1]) / 2 for each in edges]
    held = changed_to(story.x, [change for change in changes if change[0] not in features])
    X = samples_over(features, middles, held)
    answers = answers_of(estimator, dataset, np.asfortranarray(X))
    shape = (len(middles[1]), len(middles[0]))
    is_other = differs_of(estimator, dataset, story.answer, story.least_move, story.toward)(answers).reshape(shape)
    across, up = (_allowed(room, each) for room, each in zip(rooms, edges, strict=True))
    return RecoursePlane(
        features, (edges[0], edges[1]), answers.reshape(*shape, -1), is_other, up[:, None] & across[None, :],
        _at(story.x, features), _at(then, features),
    )  # fmt: skip


def _features(story: Story, axes: list[int]) -> tuple[int, int] | None:
    """Return the features that the smallest change moves most, or the one and another that would do it alone."""
    if story.flip is None:
        return None
    first = [change.feature for change in sorted(story.flip.changes, key=lambda change: -change.spans)]
    if len(axes) == 2 and set(first) <= set(axes):
        return (axes[0], axes[1])
    alone = [single.changes[0].feature for single in story.singles]
    chosen = list(dict.fromkeys([*first, *alone, *axes]))[:2]
    return (chosen[0], chosen[1]) if len(chosen) == 2 else None


def _edges(dataset: Dataset, f: int, room: ValueRange, then: float) -> np.ndarray:
    """Return where the cells of a feature end; for a number one of them where the change begins to do it."""
    feature = dataset.features[f]
    if feature.categories:
        return np.arange(len(feature.categories) + 1) - 0.5
    column = dataset.X[np.isfinite(dataset.X[:, f]), f]
    low, high = min(float(column.min()), room.before), max(float(column.max()), room.before)
    if room.is_whole and high - low <= CELLS:
        return np.arange(low, high + 2) - 0.5
    end = then - 0.5 * float(np.sign(then - room.before)) if room.is_whole else then
    even = np.linspace(low, high, CELLS + 1)
    apart = np.abs(even - end) > (high - low) / (4 * CELLS)  # no cell is too narrow to be seen
    return np.unique([*even[apart], low, high, end])


def _allowed(room: ValueRange, edges: np.ndarray) -> np.ndarray:
    """Return which cells hold a value that the feature may have, its own included, (n_cells,) bool."""
    low, high = edges[:-1], edges[1:]
    has_own = (low <= room.before) & (room.before <= high)
    if not room.is_free:
        return has_own
    if len(room.codes):
        return has_own | np.isin((low + high) / 2, room.codes)
    return has_own | ((high > room.low) & (low < room.high))


def _at(x: np.ndarray, features: tuple[int, int]) -> tuple[float, float]:
    return float(x[features[0]]), float(x[features[1]])
