"""Generators of the bundled samples: a function per file of `sample_data`, with its seed.

``python -m espalier.data.samples.generators`` writes the files anew; a test checks that files and functions agree.
Enumerated samples have no seed, and those of scikit-learn are exported from the copies that it bundles.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from espalier.data.samples.descriptions import CARDS, MONK_VALUES, SQUARES, questions, simulate
from espalier.paths import SAMPLE_DATA

IRIS_NAMES = ("sepal length", "sepal width", "petal length", "petal width")
DIABETES_NAMES = ("age", "sex", "body mass index", "blood pressure", "total cholesterol", "LDL cholesterol")
DIABETES_NAMES += ("HDL cholesterol", "total/HDL cholesterol", "log triglycerides", "blood sugar")
CLOUD_SD = 0.75  # standard deviation of each of two Gaussian clouds
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class WrittenCells(NamedTuple):
    """A file's header and rows, every cell as it is written."""

    header: list[str]
    rows: list[list[str]]


def iris() -> WrittenCells:
    """Return Fisher's flowers, from scikit-learn's copy."""
    bunch = _bundled_data("iris")
    return _cells(bunch.data, IRIS_NAMES, bunch.target_names[bunch.target], "species")


def wine() -> WrittenCells:
    """Return chemical analyses of wine, from scikit-learn's copy."""
    bunch = _bundled_data("wine")
    names = [_wine_name(name) for name in bunch.feature_names]
    return _cells(bunch.data, names, [f"cultivar {k + 1}" for k in bunch.target], "cultivar")


def breast_cancer() -> WrittenCells:
    """Return cell nuclei of breast tumours, from scikit-learn's copy."""
    bunch = _bundled_data("breast_cancer")
    return _cells(bunch.data, bunch.feature_names, bunch.target_names[bunch.target], "diagnosis")


def diabetes() -> WrittenCells:
    """Return the progression of diabetes, from scikit-learn's copy, in the units of the study (not scaled)."""
    bunch = _bundled_data("diabetes", scaled=False)
    return _cells(bunch.data, DIABETES_NAMES, bunch.target, "progression")


def tic_tac_toe() -> WrittenCells:
    """Return every board that a game of tic-tac-toe can end with when x moves first."""
    boards = sorted(_final_boards())
    rows = [[*board, "x wins" if _wins(board, "x") else "no win for x"] for board in boards]
    return WrittenCells([*SQUARES, "result"], rows)


def monks_1() -> WrittenCells:
    """Return MONK's problem 1: head and body have the same shape, or the jacket is red."""
    return _monks(lambda m: m["head shape"] == m["body shape"] or m["jacket"] == "red")


def monks_2() -> WrittenCells:
    """Return MONK's problem 2: exactly two of the six attributes have their first value."""
    return _monks(lambda m: sum(m[name] == values[0] for name, values in MONK_VALUES.items()) == 2)


def monks_3() -> WrittenCells:
    """Return MONK's problem 3 with 5 % of the classes flipped: green and sword, or neither blue nor octagon."""
    cells = _monks(
        lambda m: (
            (m["jacket"] == "green" and m["holding"] == "sword")
            or (m["jacket"] != "blue" and m["body shape"] != "octagon")
        )
    )
    noisy = np.random.default_rng(3).permutation(len(cells.rows))[: round(0.05 * len(cells.rows))]
    for row in noisy:
        cells.rows[row][-1] = "no" if cells.rows[row][-1] == "yes" else "yes"
    return cells


def two_gaussians() -> WrittenCells:
    """Return the clouds of Nalenz and Augustin (2021), Supplement B: y = 1 about (−1, −1), y = 0 about (1, 1)."""
    X, y = clouds(np.random.default_rng(2021), 300)
    return _cells(X, ("x1", "x2"), y, "y")


def clouds(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return X (n, 2), to four decimal places, and y (n,) from the distribution of `two_gaussians`."""
    y = rng.integers(0, 2, n)
    return rng.normal(np.where(y == 1, -1.0, 1.0)[:, None], CLOUD_SD, (n, 2)).round(4), y


def five_covariates() -> WrittenCells:
    """Return the simulation of Zhou and Hooker (2016), section 4.1: a tree of logits with one curved corner."""
    rng = np.random.default_rng(2016)
    X = rng.random((1000, 5)).round(4)
    y = rng.random(1000) < 1 / (1 + np.exp(-five_covariate_logit(X)))
    return _cells(X, ("x1", "x2", "x3", "x4", "x5"), y.astype(int), "y")


def five_covariate_logit(X: np.ndarray) -> np.ndarray:
    """Return log odds of y = 1 for rows (n, 5) of the five-covariate simulation, (n,) float64."""
    x1, x2, x3, x4, x5 = X.T
    high = np.select([x2 > 0.7, x2 > 0.2], [2.0, -3.0], -4.0)
    curve = np.select([x3 + x4**2 >= 1.4, x3 + x4**2 >= 0.5], [3.0, 2.0], -2.0)
    return np.where(x1 > 0.5, high, np.where(x5 <= 0.5, curve, 2.0))


def sine() -> WrittenCells:
    """Return one period of a sine with noise."""
    rng = np.random.default_rng(21)
    x = np.sort(rng.uniform(0, 6.3, 160)).round(4)
    return _cells(x[:, None], ("x",), (np.sin(x) + rng.normal(0, 0.2, 160)).round(4), "y")


def xor() -> WrittenCells:
    """Return a class in two opposite quarters of a square, where no single cut helps."""
    X = np.random.default_rng(5).uniform(-1, 1, (400, 2)).round(4)
    return _cells(X, ("x1", "x2"), np.where(X[:, 0] * X[:, 1] > 0, "same sign", "different"), "quarters")


def stripes() -> WrittenCells:
    """Return stripes of two colours at 30 degrees, a staircase for splits on one feature at a time."""
    X = np.random.default_rng(30).uniform(-1, 1, (400, 2)).round(4)
    across = X[:, 0] * np.cos(np.pi / 6) + X[:, 1] * np.sin(np.pi / 6)
    return _cells(X, ("x1", "x2"), np.where(np.floor(across / 0.5) % 2 == 0, "dark", "light"), "stripe")


def moons() -> WrittenCells:
    """Return two interleaving half circles."""
    rng = np.random.default_rng(8)
    angle = rng.uniform(0, np.pi, 400)
    upper = np.arange(400) < 200
    x1 = np.where(upper, np.cos(angle), 1 - np.cos(angle)) + rng.normal(0, 0.2, 400)
    x2 = np.where(upper, np.sin(angle), 0.5 - np.sin(angle)) + rng.normal(0, 0.2, 400)
    return _cells(np.column_stack([x1, x2]).round(4), ("x1", "x2"), np.where(upper, "upper", "lower"), "moon")


def questionnaire() -> WrittenCells:
    """Return the synthetic questionnaire; answers as whole numbers, 0 the first one offered."""
    answers, positive = simulate(seed=836)
    names = [question.name for question in questions()]
    return _cells(answers, names, np.where(positive, "positive", "negative"), "outcome")


GENERATORS: dict[str, Callable[[], WrittenCells]] = {
    "iris": iris,
    "wine": wine,
    "breast-cancer": breast_cancer,
    "diabetes": diabetes,
    "tic-tac-toe": tic_tac_toe,
    "monks-1": monks_1,
    "monks-2": monks_2,
    "monks-3": monks_3,
    "two-gaussians": two_gaussians,
    "five-covariates": five_covariates,
    "sine": sine,
    "xor": xor,
    "stripes": stripes,
    "moons": moons,
    "questionnaire": questionnaire,
}


SOURCES = """# Sample data

One CSV per sample, written by `python -m espalier.data.samples.generators`; a test keeps files and code equal.
The last
column is the target. The cards on the Data page show the same facts as this table. "Columns" counts features.

Simulated and enumerated samples are Espalier's own, with fixed seeds. The questionnaire is synthetic: its
questions are invented and its answers drawn from a latent-trait model (`data/samples/survey.py`); answers are
coded 0, 1, … in the order the question offers them. Licences of the four samples that come with scikit-learn
are those that the UCI repository and scikit-learn state; for diabetes only scikit-learn states one.

| file | title | rows | columns | target | task | source | licence |
|---|---|---|---|---|---|---|---|
"""


def sources() -> str:
    """Return the text of `sample_data/SOURCES.md`."""
    lines = [
        [f"{c.name}.csv", c.title, str(c.n_rows), str(c.n_columns), c.target, c.task, c.source, c.licence]
        for c in CARDS.values()
    ]
    return SOURCES + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_all() -> None:
    """Write every file of `sample_data` anew."""
    (SAMPLE_DATA / "SOURCES.md").write_text(sources(), encoding="utf-8")
    for name, generate in GENERATORS.items():
        header, rows = generate()
        with (SAMPLE_DATA / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])


def _bundled_data(name: str, **options) -> Any:
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(**options)


def _cells(X: np.ndarray, names: Iterable[str], y: Iterable, target: str) -> WrittenCells:
    rows = [[*map(_text, row), _text(last)] for row, last in zip(np.asarray(X).tolist(), y, strict=True)]
    return WrittenCells([*map(str, names), target], rows)


def _text(value) -> str:
    return str(value) if isinstance(value, str) else f"{value:.10g}"


def _wine_name(name: str) -> str:
    return name.replace("_", " ").replace("od280/od315", "OD280/OD315")


def _final_boards() -> set[str]:
    """Return the boards at which games can end if x moves first."""
    boards, final = {"b" * 9}, set()
    for player in "xoxoxoxox":
        free = ((board, i) for board in boards for i, mark in enumerate(board) if mark == "b")
        boards = {board[:i] + player + board[i + 1 :] for board, i in free}
        ended = {board for board in boards if _wins(board, player) or "b" not in board}
        boards -= ended
        final |= ended
    return final


def _wins(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in LINES)


def _monks(is_member: Callable[[dict[str, str]], bool]) -> WrittenCells:
    """Return all 432 robots, each with its class by the rule."""
    names = list(MONK_VALUES)
    robots = itertools.product(*MONK_VALUES.values())
    rows = [[*robot, "yes" if is_member(dict(zip(names, robot, strict=True))) else "no"] for robot in robots]
    return WrittenCells([*names, "member"], rows)


if __name__ == "__main__":
    write_all()


# ---- rows of one number against another, one of which stands apart: after the chapter's examples of bagging

LOW, HIGH = 0.0, 10.0  # of both axes
PLACES = 1  # decimal places of a row, so that links are short


# Unlike the bundled samples, tables of noisy rows are not meant to grow on: a page draws them, and a person
# drags them.
class NoisyRows(NamedTuple):
    """Rows about a true curve."""

    x: np.ndarray  # (n_samples,) ascending but for the outlier
    y: np.ndarray  # (n_samples,)
    truth: Callable[[np.ndarray], np.ndarray]
    outlier: int | None  # the row that stands apart, the last one


def wave() -> NoisyRows:
    """Return 40 noisy rows about one period of a sine; none stands apart."""
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(LOW, HIGH, 40))
    return _rows(x, _sine(x) + rng.normal(0, 0.9, 40), _sine, None)


def far_and_wrong() -> NoisyRows:
    """Return rows of a line, and one far to their right that is wrong: a row of high leverage."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(LOW, 5, 14))
    return _with(x, _line(x) + rng.normal(0, 0.5, 14), 9.5, 1.5)


def central_and_wrong() -> NoisyRows:
    """Return rows of a line, and one amidst them that is wrong: a row of low leverage."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(LOW, HIGH, 14))
    return _with(x, _line(x) + rng.normal(0, 0.5, 14), 5.0, 9.5)


def far_and_right() -> NoisyRows:
    """Return rows of a line with much noise, and one far to their right that is true."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(LOW, 4, 14))
    return _with(x, _line(x) + rng.normal(0, 1.0, 14), 9.5, float(_line(np.array(9.5))))


EXAMPLES: dict[str, Callable[[], NoisyRows]] = {
    "wave": wave,
    "far": far_and_wrong,
    "central": central_and_wrong,
    "right": far_and_right,
}


def _sine(x: np.ndarray) -> np.ndarray:
    return 5 + 3 * np.sin(x * 2 * np.pi / HIGH)


def _line(x: np.ndarray) -> np.ndarray:
    return 2 + 0.6 * x


def _with(x: np.ndarray, y: np.ndarray, x_apart: float, y_apart: float) -> NoisyRows:
    return _rows(np.append(x, x_apart), np.append(y, y_apart), _line, len(x))


def _rows(
    x: np.ndarray, y: np.ndarray, truth: Callable[[np.ndarray], np.ndarray], outlier: int | None
) -> NoisyRows:
    return NoisyRows(x.round(PLACES), y.clip(LOW, HIGH).round(PLACES), truth, outlier)
