"""Generators of the bundled samples: a function per file of `sample_data`, with its seed.

``python -m espalier.data.samples.generators`` writes the files anew; a test checks that files and functions agree.
Enumerated samples have no seed, and those of scikit-learn are exported from the copies that it bundles.
"""

from __future__ import annotations

import csv
import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.data.samples.descriptions import CARDS, MONK_VALUES, SQUARES, questions, simulate
from espalier.data.samples.redrawn import LABELS, SIMULATIONS, Redrawing, draw
from espalier.paths import SAMPLE_DATA

IRIS_NAMES = ("sepal length", "sepal width", "petal length", "petal width")
DIABETES_NAMES = (
    "age", "sex", "body mass index", "blood pressure", "total cholesterol", "LDL cholesterol", "HDL cholesterol",
    "total/HDL cholesterol", "log triglycerides", "blood sugar",
)  # fmt: skip
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


WrittenCells: TypeAlias = tuple[list[str], list[list[str]]]  # a file's header and rows, cells as they are written


def iris() -> WrittenCells:
    """Return Fisher's flowers, from scikit-learn's copy."""
    bunch = _bundled_data("iris")
    return _cells(bunch.data, IRIS_NAMES, bunch.target_names[bunch.target], "species")


def wine() -> WrittenCells:
    """Return chemical analyses of wine, from scikit-learn's copy."""
    bunch = _bundled_data("wine")
    names = [name.replace("_", " ").replace("od280/od315", "OD280/OD315") for name in bunch.feature_names]
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
    return [*SQUARES, "result"], rows


def monks_1() -> WrittenCells:
    """Return MONK's problem 1: head and body have the same shape, or the jacket is red."""
    return _monks(lambda m: m["head shape"] == m["body shape"] or m["jacket"] == "red")


def monks_2() -> WrittenCells:
    """Return MONK's problem 2: exactly two of the six attributes have their first value."""
    return _monks(lambda m: sum(m[name] == values[0] for name, values in MONK_VALUES.items()) == 2)


def monks_3() -> WrittenCells:
    """Return MONK's problem 3 with 5 % of the classes flipped: green and sword, or neither blue nor octagon."""
    header, rows = _monks(
        lambda m: (
            (m["jacket"] == "green" and m["holding"] == "sword")
            or (m["jacket"] != "blue" and m["body shape"] != "octagon")
        )
    )
    noisy = np.random.default_rng(3).permutation(len(rows))[: round(0.05 * len(rows))]
    for row in noisy:
        rows[row][-1] = "no" if rows[row][-1] == "yes" else "yes"
    return header, rows


def simulated_sample(name: str) -> WrittenCells:
    """Return a simulated sample as it is bundled: the redrawing that changes nothing."""
    X, y = draw(Redrawing(name))
    names = ("x",) if X.shape[1] == 1 else tuple(f"x{i}" for i in range(1, X.shape[1] + 1))
    labels = LABELS.get(name)
    return _cells(X, names, y if labels is None else [labels[code] for code in y], CARDS[name].target)


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
    **{name: functools.partial(simulated_sample, name) for name in SIMULATIONS},
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
    return [*map(str, names), target], rows


def _text(value) -> str:
    return str(value) if isinstance(value, str) else f"{value:.10g}"


def _final_boards() -> set[str]:
    """Return the boards at which games can end if x moves first."""
    boards, final = {"b" * 9}, set()
    for player in "xoxoxoxox":
        free = ((board, i) for board in boards for i, mark in enumerate(board) if mark == "b")
        boards = {board[:i] + player + board[i + 1 :] for board, i in free}
        last = {board for board in boards if _wins(board, player) or "b" not in board}
        boards -= last
        final |= last
    return final


def _wins(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in LINES)


def _monks(is_member: Callable[[dict[str, str]], bool]) -> WrittenCells:
    """Return all 432 robots, each with its class by the rule."""
    names = list(MONK_VALUES)
    robots = itertools.product(*MONK_VALUES.values())
    rows = [[*robot, "yes" if is_member(dict(zip(names, robot, strict=True))) else "no"] for robot in robots]
    return [*names, "member"], rows


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
    return _rows_of_line(0, 5, 0.5, 9.5, 1.5)


def central_and_wrong() -> NoisyRows:
    """Return rows of a line, and one amidst them that is wrong: a row of low leverage."""
    return _rows_of_line(0, HIGH, 0.5, 5.0, 9.5)


def far_and_right() -> NoisyRows:
    """Return rows of a line with much noise, and one far to their right that is true."""
    return _rows_of_line(1, 4, 1.0, 9.5, float(_line(np.array(9.5))))


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


def _rows_of_line(seed: int, end: float, sd: float, x_apart: float, y_apart: float) -> NoisyRows:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(LOW, end, 14))
    y = _line(x) + rng.normal(0, sd, 14)
    return _rows(np.append(x, x_apart), np.append(y, y_apart), _line, len(x))


def _rows(
    x: np.ndarray, y: np.ndarray, truth: Callable[[np.ndarray], np.ndarray], outlier: int | None
) -> NoisyRows:
    return NoisyRows(x.round(PLACES), y.clip(LOW, HIGH).round(PLACES), truth, outlier)


if __name__ == "__main__":
    write_all()
