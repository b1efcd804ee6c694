"""Simulated samples drawn anew, with other noise, size or seed, and tables of points that a person drew.

A redrawing has a short text, such as "moons~n0.3~t45", which names it in addresses; the bundled sample is the
redrawing that changes nothing. With the same seed the same points are turned, stretched or blurred.
"""

from __future__ import annotations

import base64
import binascii
import functools
import math
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import ClassMarks, Dataset, Feature, make_dataset
from espalier.data.errors import number_text
from espalier.language import Phrase, Title, to_say

CLOUD_SD = 0.75  # standard deviation of each of two Gaussian clouds
LETTERS = {"r": "rows", "n": "noise", "o": "overlap", "t": "turn", "s": "stretch", "d": "seed"}
_PART = re.compile(r"([rnotsd])(-?[0-9]+(?:\.[0-9]+)?)")


class Redrawing(NamedTuple):
    """How a simulated sample is drawn; every field has the bundled sample's value where it is None, 0 or 1."""

    name: str
    rows: int | None = None  # of them
    noise: float | None = None  # standard deviation, or the share of rows whose class is flipped
    overlap: float = 0.0  # 0: classes lie as they do; 1: at the same place
    turn: float = 0.0  # degrees by which the plane is turned against the clock
    stretch: float = 1.0  # factor of the first column
    seed: int = 0  # 0: the points of the bundled sample

    @property
    def text(self) -> str:
        """The text that names it, which `redraw_of` reads.

        >>> Redrawing("moons", noise=0.3, turn=45).text
        'moons~n0.3~t45'
        """
        usual = Redrawing(self.name)
        keys = [key for key, field in LETTERS.items() if getattr(self, field) != getattr(usual, field)]
        return "~".join([self.name, *(key + number_text(getattr(self, LETTERS[key])) for key in keys)])


class Range(NamedTuple):
    """The numbers that a control of a redrawing may have, and the bundled sample's."""

    low: float
    high: float
    step: float
    usual: float


class Simulation(NamedTuple):
    """A simulated sample, and what of it can be changed."""

    draw: Callable[[np.random.Generator, int, float, float], tuple[np.ndarray, np.ndarray]]  # rows, noise, overlap
    seed: int  # of the bundled sample
    rows: int  # of the bundled sample
    noise: Range
    has_overlap: bool = False
    has_plane: bool = True  # whether it has two columns, which can be turned
    is_flip: bool = False  # whether noise is the share of rows whose class is flipped


# The samples as they are drawn: X to four decimal places, and a class 0 or 1, or a number.
def clouds(
    rng: np.random.Generator, n: int, noise: float = CLOUD_SD, overlap: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the clouds of Nalenz and Augustin (2021), Supplement B: y = 1 about (−1, −1), y = 0 about (1, 1)."""
    y = rng.integers(0, 2, n)
    centre = (1.0 - overlap) * np.where(y == 1, -1.0, 1.0)
    return rng.normal(centre[:, None], noise, (n, 2)).round(4), y


def _five(rng: np.random.Generator, n: int, noise: float, _: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the simulation of Zhou and Hooker (2016), section 4.1: a tree of logits with one curved corner."""
    X = rng.random((n, 5)).round(4)
    y = rng.random(n) < 1 / (1 + np.exp(-five_covariate_logit(X)))
    return X, _flip_classes(rng, y, noise)


def five_covariate_logit(X: np.ndarray) -> np.ndarray:
    """Return log odds of y = 1 for rows (n, 5) of the five-covariate simulation, (n,) float64."""
    x1, x2, x3, x4, x5 = X.T
    high = np.select([x2 > 0.7, x2 > 0.2], [2.0, -3.0], -4.0)
    curve = np.select([x3 + x4**2 >= 1.4, x3 + x4**2 >= 0.5], [3.0, 2.0], -2.0)
    return np.where(x1 > 0.5, high, np.where(x5 <= 0.5, curve, 2.0))


def _sine(rng: np.random.Generator, n: int, noise: float, _: float) -> tuple[np.ndarray, np.ndarray]:
    x = np.sort(rng.uniform(0, 6.3, n)).round(4)
    return x[:, None], (np.sin(x) + rng.normal(0, noise, n)).round(4)


def _xor(rng: np.random.Generator, n: int, noise: float, _: float) -> tuple[np.ndarray, np.ndarray]:
    """Return a class in two opposite quarters of a square, where no single cut helps."""
    X = rng.uniform(-1, 1, (n, 2)).round(4)
    return X, _flip_classes(rng, X[:, 0] * X[:, 1] > 0, noise)


def _stripes(rng: np.random.Generator, n: int, noise: float, _: float) -> tuple[np.ndarray, np.ndarray]:
    """Return stripes of two colours at 30 degrees, a staircase for splits on one feature at a time."""
    X = rng.uniform(-1, 1, (n, 2)).round(4)
    across = X[:, 0] * np.cos(np.pi / 6) + X[:, 1] * np.sin(np.pi / 6)
    return X, _flip_classes(rng, np.floor(across / 0.5) % 2 != 0, noise)


def _moons(rng: np.random.Generator, n: int, noise: float, overlap: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two interleaving half circles."""
    angle = rng.uniform(0, np.pi, n)
    upper, near = np.arange(n) < n // 2, 1.0 - overlap
    x1 = np.where(upper, np.cos(angle), near - np.cos(angle)) + rng.normal(0, noise, n)
    lower = 0.5 * near - np.sin(angle) if overlap < 1 else np.sin(angle)
    x2 = np.where(upper, np.sin(angle), lower) + rng.normal(0, noise, n)
    return np.column_stack([x1, x2]).round(4), upper.astype(int)


def _flip_classes(rng: np.random.Generator, is_second: np.ndarray, share: float) -> np.ndarray:
    """Return the classes, a share of them exchanged; more noise flips those of less noise, too."""
    y = is_second.astype(int)
    return np.where(rng.random(len(y)) < share, 1 - y, y)


FLIPS = Range(0.0, 0.4, 0.05, 0.0)
SIMULATIONS = {
    "two-gaussians": Simulation(clouds, 2021, 300, Range(0.05, 2.0, 0.05, CLOUD_SD), has_overlap=True),
    "five-covariates": Simulation(_five, 2016, 1000, FLIPS, has_plane=False, is_flip=True),
    "sine": Simulation(_sine, 21, 160, Range(0.0, 1.0, 0.05, 0.2), has_plane=False),
    "xor": Simulation(_xor, 5, 400, FLIPS, is_flip=True),
    "stripes": Simulation(_stripes, 30, 400, FLIPS, is_flip=True),
    "moons": Simulation(_moons, 8, 400, Range(0.0, 0.6, 0.05, 0.2), has_overlap=True),
}
ROWS = Range(20, 2000, 10, 0)
OVERLAP, TURN, SEEDS = Range(0.0, 0.9, 0.1, 0.0), Range(0, 90, 5, 0), Range(0, 999_999, 1, 0)
STRETCH = (0.01, 0.1, 1.0, 10.0, 100.0)
# Of classes 0 and 1, where these are not their names:
LABELS = {"moons": ("lower", "upper"), "xor": ("different", "same sign"), "stripes": ("dark", "light")}


def redraw_of(text: str) -> Redrawing | None:
    """Return the redrawing that a text names; None for a text that names none, or has numbers beyond the ranges.

    >>> redraw_of("moons~n0.3~t45").turn
    45.0
    """
    name, *parts = text.split("~")
    if name not in SIMULATIONS or len(parts) > len(LETTERS):
        return None
    matches = [_PART.fullmatch(part) for part in parts]
    values = {LETTERS[match[1]]: float(match[2]) for match in matches if match is not None}
    if len(values) < len(parts):
        return None
    for field in ("rows", "seed"):
        if field in values:
            values[field] = int(values[field])
    how = Redrawing(name)._replace(**values)
    return how if _is_within(how) else None


def _is_within(how: Redrawing) -> bool:
    """Whether the redrawing has only what its sample can have, within the ranges."""
    simulation = SIMULATIONS[how.name]

    def inside(value: float | None, limits: Range | None) -> bool:
        return value is None or (limits is not None and limits.low <= value <= limits.high)

    return (
        inside(how.rows, ROWS) and inside(how.noise, simulation.noise) and inside(how.seed, SEEDS)
        and inside(how.overlap or None, OVERLAP if simulation.has_overlap else None)
        and inside(how.turn or None, TURN if simulation.has_plane else None) and how.stretch in STRETCH
    )  # fmt: skip


@functools.lru_cache(maxsize=64)
def redrawn(how: Redrawing) -> Dataset:
    """Return the sample as it is drawn anew; where nothing is changed it is the bundled one.

    Raises KeyError for a sample that is not simulated.

    >>> redrawn(Redrawing("moons", rows=50, seed=3)).X.shape
    (50, 2)
    """
    from espalier.data import samples  # which offers these, too

    usual = samples.load(how.name)
    if how == Redrawing(how.name):
        return usual
    X, y = draw(how)
    y = np.array([usual.classes.index(label) for label in LABELS[how.name]])[y] if how.name in LABELS else y
    features = [feature._replace(is_whole=False) for feature in usual.features]
    name = Title(Phrase("{name}, {changes}", {"name": usual.name, "changes": list(_changes(how))}))
    truth = usual.truth if how.stretch == 1 else None
    return make_dataset(name, X, features, y.astype(np.float64), usual.target)._replace(truth=truth)


def draw(how: Redrawing) -> tuple[np.ndarray, np.ndarray]:
    """Return X (n, n_features) and y (n,) of a redrawing: classes 0 and 1, or numbers."""
    simulation = SIMULATIONS[how.name]
    rng = np.random.default_rng([simulation.seed, how.seed] if how.seed else simulation.seed)
    noise = simulation.noise.usual if how.noise is None else how.noise
    X, y = simulation.draw(rng, how.rows or simulation.rows, noise, how.overlap)
    if how.turn:
        c, s = math.cos(math.radians(how.turn)), math.sin(math.radians(how.turn))
        X = (X @ np.array([[c, s], [-s, c]])).round(4)
    return X * np.array([how.stretch] + [1.0] * (X.shape[1] - 1)), y


def _changes(how: Redrawing) -> Iterator[Phrase]:
    """Yield what is not as in the bundled sample, in words."""
    if how.rows is not None:
        yield Phrase("{n} rows", {"n": how.rows})
    if how.noise is not None and SIMULATIONS[how.name].is_flip:
        yield Phrase("{percent} % flipped", {"percent": round(100 * how.noise)})
    elif how.noise is not None:
        yield Phrase("noise {noise}", {"noise": how.noise})
    if how.overlap:
        yield Phrase("overlap {overlap}", {"overlap": how.overlap})
    if how.turn:
        yield Phrase("turned by {turn}°", {"turn": how.turn})
    if how.stretch != 1:
        yield Phrase("first axis × {stretch}", {"stretch": how.stretch})
    if how.seed:
        yield Phrase("draw {seed}", {"seed": how.seed})


# ---- tables of points that a person drew on a plane, and their text, which is short enough for a link

CLASSES = ("A", "B", "C", "D")
TARGET = Feature("class", "category", CLASSES)
MOST_POINTS = 2_000
LONGEST = 4_000  # letters of a text in an address
STEPS = 4095  # of a coordinate from 0 to 10: 12 bits each
SPAN = 10.0
WORD = "drawn"
_NAME = re.compile(r"[\w -]{1,30}")
USUAL_NAME = to_say("Drawn points")


class PaintedTable(NamedTuple):
    """Points of up to four classes on a square from 0 to 10."""

    name: str
    x: np.ndarray  # (n_points, 2) float64
    y: np.ndarray  # (n_points,) int64: class numbers

    @property
    def text(self) -> str:
        """The text that names it, which `painted_of` reads: four bytes for a point, in the alphabet of links."""
        steps = np.round(self.x * (STEPS / SPAN)).astype(np.uint32)
        codes = (self.y.astype(np.uint32) << 24 | steps[:, 0] << 12 | steps[:, 1]).astype(">u4")
        letters = base64.urlsafe_b64encode(codes.tobytes()).decode().rstrip("=")
        return "~".join([WORD, self.name, letters])

    @property
    def dataset(self) -> Dataset:
        """The table as a data set, with the classes that have points. Raises ValueError if it has no point."""
        if not len(self.y):
            raise ValueError("there is no point; draw some first")
        there, codes = np.unique(self.y, return_inverse=True)
        classes = tuple(CLASSES[number] for number in there)
        colours = tuple(there.tolist()) if len(there) <= there[-1] else ()  # those of the plane, also with a gap
        target = TARGET._replace(categories=classes, marks=ClassMarks(colours=colours))
        name = Title(Phrase(self.name, {})) if self.name == USUAL_NAME else self.name
        return make_dataset(name, self.x, [Feature("x1"), Feature("x2")], codes, target)


def painted(name: str, points: list[tuple[float, float, int]]) -> PaintedTable:
    """Return the table of points (x, y, class number), rounded as its text has them.

    A name of other characters than letters, digits, blanks and hyphens gives way to the usual one.

    >>> painted("Two points", [(0, 0, 0), (10, 5, 1)]).dataset.classes
    ('A', 'B')
    """
    rows = np.array(points, dtype=np.float64).reshape(-1, 3)[:MOST_POINTS]
    steps = np.round(np.clip(rows[:, :2], 0, SPAN) * (STEPS / SPAN))
    own = name.strip() if _NAME.fullmatch(name.strip()) else USUAL_NAME
    return PaintedTable(own, (steps * (SPAN / STEPS)).round(4), rows[:, 2].astype(np.int64))


def painted_of(text: str) -> PaintedTable | None:
    """Return the table that a text names; None for a text that names none.

    >>> table = painted("Two points", [(0, 0, 0), (10, 5, 1)])
    >>> painted_of(table.text).dataset.digest == table.dataset.digest
    True
    """
    word, *parts = text.split("~")
    if word != WORD or len(parts) != 2 or not _NAME.fullmatch(parts[0]) or len(text) > LONGEST:
        return None
    try:
        raw = base64.b64decode(parts[1] + "=" * (-len(parts[1]) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if not raw or len(raw) % 4:
        return None
    codes = np.frombuffer(raw, ">u4").astype(np.int64)
    number = codes >> 24
    if number.max() >= len(CLASSES):
        return None
    steps = np.column_stack([codes >> 12 & STEPS, codes & STEPS])
    return PaintedTable(parts[0], (steps * (SPAN / STEPS)).round(4), number)
