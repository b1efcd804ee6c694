"""Descriptions of the bundled samples: their cards, and the kinds of their columns."""

from __future__ import annotations

from typing import NamedTuple

from espalier.data.dataset import Feature, Kind
from espalier.data.samples.survey import questions
from espalier.language import to_say

SIMULATED = to_say("simulated by Espalier")
BSD = "BSD-3-Clause (scikit-learn)"
CC_BY = "CC BY 4.0 (UCI)"
MIT = "MIT (Espalier)"

SQUARES = tuple(f"{row} {column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
SQUARES = tuple("centre" if square == "middle middle" else square for square in SQUARES)
MONK_VALUES = {
    "head shape": ("round", "square", "octagon"),
    "body shape": ("round", "square", "octagon"),
    "smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket": ("red", "yellow", "green", "blue"),
    "tie": ("yes", "no"),
}


class SampleCard(NamedTuple):
    """The description of a sample in the gallery; `n_columns` counts the features, not the target."""

    name: str
    title: str
    description: str
    n_rows: int
    n_columns: int
    target: str
    task: str  # "classification" or "regression"
    source: str
    licence: str


_CARDS = (
    SampleCard(
        "iris",
        to_say("Iris flowers"),
        to_say("Three species of iris, told apart by the length and width of sepals and petals in centimetres."),
        150,
        4,
        "species",
        "classification",
        to_say("Fisher (1936), bundled with scikit-learn"),
        f"{CC_BY}; copy {BSD}",
    ),
    SampleCard(
        "wine",
        to_say("Wine"),
        to_say("Wines from three cultivars grown in one region of Italy, by thirteen chemical measurements."),
        178,
        13,
        "cultivar",
        "classification",
        to_say("Forina et al., UCI, bundled with scikit-learn"),
        f"{CC_BY}; copy {BSD}",
    ),
    SampleCard(
        "breast-cancer",
        to_say("Breast cancer"),
        to_say("Is a tumour malignant or benign? Mean, standard error and worst of ten cell measurements."),
        569,
        30,
        "diagnosis",
        "classification",
        to_say("Street, Wolberg and Mangasarian (1993), UCI, bundled with scikit-learn"),
        f"{CC_BY}; copy {BSD}",
    ),
    SampleCard(
        "diabetes",
        to_say("Diabetes"),
        to_say("How far diabetes went in a year, from age, sex (coded 1 and 2), body mass and blood values."),
        442,
        10,
        "progression",
        "regression",
        to_say("Efron et al. (2004), bundled with scikit-learn"),
        BSD,
    ),
    SampleCard(
        "tic-tac-toe",
        to_say("Tic-tac-toe"),
        to_say("All boards a game can end with when x moves first; b is a blank square. Has x won?"),
        958,
        9,
        "result",
        "classification",
        to_say("enumerated by Espalier, after Aha (1991)"),
        MIT,
    ),
    SampleCard(
        "monks-1",
        to_say("MONK's 1"),
        to_say("432 robots; a member has a head shaped like its body, or a red jacket."),
        432,
        6,
        "member",
        "classification",
        to_say("enumerated by Espalier, rule of Thrun et al. (1991)"),
        MIT,
    ),
    SampleCard(
        "monks-2",
        to_say("MONK's 2"),
        to_say("432 robots; a member has the first value of exactly two of its six attributes."),
        432,
        6,
        "member",
        "classification",
        to_say("enumerated by Espalier, rule of Thrun et al. (1991)"),
        MIT,
    ),
    SampleCard(
        "monks-3",
        to_say("MONK's 3"),
        to_say(
            "432 robots; a member has a green jacket and a sword, or neither a blue jacket nor an octagon body. "
            "5 % of the classes (22 rows) are flipped as noise."
        ),
        432,
        6,
        "member",
        "classification",
        to_say("enumerated by Espalier, rule of Thrun et al. (1991), noise with a fixed seed"),
        MIT,
    ),
    SampleCard(
        "two-gaussians",
        to_say("Two Gaussians"),
        to_say("Two round clouds that overlap: the best boundary is a slanted line, and trees answer in steps."),
        300,
        2,
        "y",
        "classification",
        to_say("simulated by Espalier after Nalenz and Augustin (2021), Supplement B"),
        MIT,
    ),
    SampleCard(
        "five-covariates",
        to_say("Five covariates"),
        to_say("A tree of log odds over five uniform covariates with one curved corner: the truth is known."),
        1000,
        5,
        "y",
        "classification",
        to_say("simulated by Espalier after Zhou and Hooker (2016), section 4.1"),
        MIT,
    ),
    SampleCard(
        "sine",
        to_say("Noisy sine"),
        to_say("One period of a sine with noise: watch a step function follow it, then follow the noise."),
        160,
        1,
        "y",
        "regression",
        SIMULATED,
        MIT,
    ),
    SampleCard(
        "xor",
        to_say("XOR"),
        to_say(
            "A class in two opposite quarters of a square: the first cut gains almost nothing, two together all."
        ),
        400,
        2,
        "quarters",
        "classification",
        SIMULATED,
        MIT,
    ),
    SampleCard(
        "stripes",
        to_say("Rotated stripes"),
        to_say("Stripes at 30 degrees: a few cuts along their own axis would do, but x1 and x2 need a staircase."),
        400,
        2,
        "stripe",
        "classification",
        SIMULATED,
        MIT,
    ),
    SampleCard(
        "moons",
        to_say("Two moons"),
        to_say("Two noisy half circles that reach into each other: a curved boundary out of straight cuts."),
        400,
        2,
        "moon",
        "classification",
        SIMULATED,
        MIT,
    ),
    SampleCard(
        "questionnaire",
        to_say("Questionnaire"),
        to_say(
            "Synthetic: 88 invented questions on sleep, energy, mood and more, answered by 836 simulated people, "
            "257 of them positive. Nobody was asked."
        ),
        836,
        88,
        "outcome",
        "classification",
        to_say("simulated by Espalier in the shape of the study in Zhou and Hooker (2016), section 4.2"),
        MIT,
    ),
)
CARDS = {card.name: card for card in _CARDS}

_CLASSES = {
    "iris": ("setosa", "versicolor", "virginica"),
    "wine": ("cultivar 1", "cultivar 2", "cultivar 3"),
    "breast-cancer": ("malignant", "benign"),
    "tic-tac-toe": ("no win for x", "x wins"),
    "monks-1": ("no", "yes"),
    "monks-2": ("no", "yes"),
    "monks-3": ("no", "yes"),
    "two-gaussians": ("0", "1"),
    "five-covariates": ("0", "1"),
    "xor": ("different", "same sign"),
    "stripes": ("dark", "light"),
    "moons": ("lower", "upper"),
    "questionnaire": ("negative", "positive"),
}

PICTURES = {  # columns across and up in the small picture of each sample
    "iris": ("petal length", "petal width"),
    "wine": ("flavanoids", "color intensity"),
    "breast-cancer": ("worst radius", "worst concave points"),
    "diabetes": ("body mass index", "progression"),
    "tic-tac-toe": ("top left", "centre"),
    "monks-1": ("head shape", "body shape"),
    "monks-2": ("jacket", "holding"),
    "monks-3": ("jacket", "body shape"),
    "two-gaussians": ("x1", "x2"),
    "five-covariates": ("x1", "x2"),
    "sine": ("x", "y"),
    "xor": ("x1", "x2"),
    "stripes": ("x1", "x2"),
    "moons": ("x1", "x2"),
    "questionnaire": ("q59 I feel empty", "q58 I smile easily"),
}


def target(name: str) -> Feature:
    """Return the target of a sample: with its classes, or a number."""
    classes = _CLASSES.get(name, ())
    return Feature(CARDS[name].target, target_kind(classes), classes)


def target_kind(classes: tuple[str, ...]) -> Kind:
    """Return the kind of a target with these classes; without classes, it is a number."""
    if not classes:
        return "number"
    return "yes/no" if classes in (("no", "yes"), ("0", "1")) else "category"


def feature(name: str, column: str) -> Feature:
    """Return a feature of a sample, with its declared kind."""
    return _DECLARED.get(name, {}).get(column, Feature(column))


def _declared() -> dict[str, dict[str, Feature]]:
    monks = {column: _monk(column, values) for column, values in MONK_VALUES.items()}
    return {
        "diabetes": {"sex": Feature("sex", "category", ("1", "2"))},
        "tic-tac-toe": {square: Feature(square, "category", ("x", "o", "b")) for square in SQUARES},
        "monks-1": monks,
        "monks-2": monks,
        "monks-3": monks,
        "questionnaire": {q.name: Feature(q.name, _answer_kind(q.answers), q.answers) for q in questions()},
    }


def _monk(column: str, values: tuple[str, ...]) -> Feature:
    return Feature(column, "yes/no", ("no", "yes")) if "yes" in values else Feature(column, "category", values)


def _answer_kind(answers: tuple[str, ...]) -> Kind:
    return "yes/no" if len(answers) == 2 else "ordered"


_DECLARED = _declared()
