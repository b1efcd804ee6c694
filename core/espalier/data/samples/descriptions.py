"""Descriptions of the bundled samples: their cards, and the kinds of their columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import to_say

N_PEOPLE = 836
N_POSITIVE = 257
YES_NO = ("no", "yes")
FREQUENCY = ("never", "sometimes", "often", "always")
AGREEMENT = ("strongly disagree", "disagree", "neutral", "agree", "strongly agree")

# Each line is a theme, then its questions; a question that a well person agrees to ends in "+".
_YES_NO_TEXTS = """
sleep: slept badly; woke up too early; slept through the night+; napped most days
energy: tired by noon; had energy to spare+; took stairs easily+
appetite: skipped meals; ate more than usual; enjoyed eating+
mood: cried this week; laughed this week+; dreaded Monday
worry: worried about money; checked things twice; felt calm+
interest: met a friend+; dropped a hobby; made plans+
focus: lost the thread; forgot an errand; finished a book+
body: had headaches; had stomach pains
drive: put things off; left the house late; cleaned up at once+
"""
_FREQUENCY_TEXTS = """
sleep: lay awake; woke up rested+
energy: felt drained; wanted to lie down
appetite: had no appetite
mood: felt low; felt cheerful+
worry: felt on edge
interest: cancelled on others
focus: read the same line twice
drive: struggled to begin
"""
_AGREEMENT_TEXTS = """
sleep: my bed is no rest; nights feel long; I fall asleep fast+; I dream badly; mornings are hard; \
I sleep enough+
energy: my legs are heavy; small tasks wear me out; I tire fast; I keep going+; I need long breaks; \
I feel slow
appetite: food tastes of little; I eat by the clock; I snack for comfort; my weight is steady+; \
cooking is a burden
mood: days look grey; little cheers me up; I smile easily+; I feel empty; evenings weigh on me; \
I feel hopeful+; \
music moves me+; I am hard on myself; I feel let down
worry: my thoughts race; I expect the worst; I can let go+; I startle easily; crowds wear on me; \
I fret at night
interest: hobbies bore me; I look forward to weekends+; I avoid calls; I like surprises+; \
talk costs effort; \
I follow the news+
focus: my mind wanders; choices take me long; I mislay things; I stay on task+; pages blur
body: my back aches; my chest feels tight; I feel fit+
drive: I rarely start things; I get up at once+; chores pile up; I keep promises+
"""


# The wording and the numbers are Espalier's own, and no people were surveyed: the answers are simulated by a
# graded response model (Samejima 1969, "Estimation of latent ability using a response pattern of graded scores"),
# with the shape of the study in Zhou and Hooker (2016, section 4.2): 836 people, 27 yes-no, 11 four-choice and 50
# five-choice questions, 257 people positive.
class SurveyQuestion(NamedTuple):
    """A question, its possible answers, and the effect of the trait on them."""

    name: str  # as the column is called, such as "q01 slept badly"
    answers: tuple[str, ...]
    theme: str
    sign: int  # 1 if the trait makes higher answers more likely, -1 if less likely


def questions() -> list[SurveyQuestion]:
    """Return the 88 questions in the order of the columns."""
    scales = ((_YES_NO_TEXTS, YES_NO), (_FREQUENCY_TEXTS, FREQUENCY), (_AGREEMENT_TEXTS, AGREEMENT))
    items = [(text, answers, theme) for block, answers in scales for theme, text in _texts(block)]
    return [
        SurveyQuestion(f"q{i:02d} {text.rstrip('+')}", answers, theme, -1 if text.endswith("+") else 1)
        for i, (text, answers, theme) in enumerate(items, 1)
    ]


def simulate(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the answers (836, 88) int64, coded 0, 1, …, and which people are positive, (836,) bool.

    A person has one general trait and a deviation from it per theme. The 257 people with the highest trait,
    measured with an error, are positive.
    """
    rng = np.random.default_rng(seed)
    items = questions()
    general = rng.normal(size=N_PEOPLE)
    names = dict.fromkeys(question.theme for question in items)
    themes = {theme: 0.8 * general + 0.6 * rng.normal(size=N_PEOPLE) for theme in names}
    answers = np.column_stack([_answer(rng, q, themes[q.theme]) for q in items])
    scores = general + 0.35 * rng.normal(size=N_PEOPLE)
    return answers, scores >= np.sort(scores)[-N_POSITIVE]


def _answer(rng: np.random.Generator, question: SurveyQuestion, trait: np.ndarray) -> np.ndarray:
    """Draw answers from the graded response model: P(answer >= k) = logistic(slope * trait - threshold[k])."""
    n_steps = len(question.answers) - 1
    slope = rng.uniform(0.5, 2.2) * question.sign
    steps = np.sort(rng.normal(0.3 * question.sign, 1.1, n_steps))
    steps += 0.45 * (np.arange(n_steps) - (n_steps - 1) / 2)  # keep neighbouring answers apart
    at_least = 1 / (1 + np.exp(steps - slope * trait[:, None]))
    return (rng.random(len(trait))[:, None] < at_least).sum(axis=1)


def _texts(block: str) -> list[tuple[str, str]]:
    lines = [line.split(": ", 1) for line in block.strip().splitlines()]
    return [(theme, text.strip()) for theme, texts in lines for text in texts.split(";")]


# ---- descriptions of the bundled samples: their cards, and the kinds of their columns

OWN_SIMULATION = to_say("simulated by Espalier")
BSD = "BSD-3-Clause (scikit-learn)"
CC_BY = "CC BY 4.0 (UCI)"
MIT = "MIT (Espalier)"

SQUARES = (
    "top left", "top middle", "top right", "middle left", "centre", "middle right", "bottom left", "bottom middle",
    "bottom right",
)  # fmt: skip
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
        to_say("Three species of iris by the sizes of sepals and petals."),
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
        to_say("Wines of three Italian cultivars by chemical measurements."),
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
        to_say("Is a tumour malignant or benign? By cell measurements."),
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
        to_say("How far diabetes went in a year, by age, sex (1, 2), body mass and blood."),
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
        to_say("All final boards of a game; b is blank. Has x won?"),
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
        to_say("Robots: head shaped like the body, or a red jacket."),
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
        to_say("Robots: exactly two of six attributes have their first value."),
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
        to_say("Robots: green jacket and sword, or neither blue jacket nor octagon body; 5 % flipped."),
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
        to_say("Two round clouds: the best boundary is slanted, trees answer in steps."),
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
        to_say("A tree of log odds with one curved corner: the truth is known."),
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
        to_say("A sine with noise: a tree follows it, then the noise."),
        160,
        1,
        "y",
        "regression",
        OWN_SIMULATION,
        MIT,
    ),
    SampleCard(
        "xor",
        to_say("XOR"),
        to_say("Opposite quarters of a square: the first cut gains nothing, two gain all."),
        400,
        2,
        "quarters",
        "classification",
        OWN_SIMULATION,
        MIT,
    ),
    SampleCard(
        "stripes",
        to_say("Rotated stripes"),
        to_say("Stripes at 30 degrees, which x1 and x2 need a staircase for."),
        400,
        2,
        "stripe",
        "classification",
        OWN_SIMULATION,
        MIT,
    ),
    SampleCard(
        "moons",
        to_say("Two moons"),
        to_say("Two half circles: a curved boundary out of straight cuts."),
        400,
        2,
        "moon",
        "classification",
        OWN_SIMULATION,
        MIT,
    ),
    SampleCard(
        "questionnaire",
        to_say("Questionnaire"),
        to_say("Synthetic: 88 invented questions and 836 simulated people. Nobody was asked."),
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
    kind = "category" if classes else "number"
    return Feature(CARDS[name].target, "yes/no" if classes in (YES_NO, ("0", "1")) else kind, classes)


def feature(name: str, column: str) -> Feature:
    """Return a feature of a sample, with its declared kind."""
    return _FEATURES.get(name, {}).get(column, Feature(column))


_MONKS = {
    column: Feature(column, "yes/no", YES_NO) if "yes" in values else Feature(column, "category", values)
    for column, values in MONK_VALUES.items()
}
_FEATURES: dict[str, dict[str, Feature]] = {
    "diabetes": {"sex": Feature("sex", "category", ("1", "2"))},
    "tic-tac-toe": {square: Feature(square, "category", ("x", "o", "b")) for square in SQUARES},
    **dict.fromkeys(("monks-1", "monks-2", "monks-3"), _MONKS),
    "questionnaire": {
        q.name: Feature(q.name, "yes/no" if len(q.answers) == 2 else "ordered", q.answers) for q in questions()
    },
}
