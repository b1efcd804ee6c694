"""The 88 questions of the synthetic questionnaire and the latent-trait model that answers them.

The wording and the numbers are Espalier's own, and no people were surveyed: the answers are simulated by a
graded response model (Samejima 1969, "Estimation of latent ability using a response pattern of graded
scores"), with the shape of the study in Zhou and Hooker (2016, section 4.2): 836 people, 27 yes-no, 11
four-choice and 50 five-choice questions, 257 people positive.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
    asked = questions()
    general = rng.normal(size=N_PEOPLE)
    themes = {theme: 0.8 * general + 0.6 * rng.normal(size=N_PEOPLE) for theme in _in_order(asked)}
    answers = np.column_stack([_answer(rng, q, themes[q.theme]) for q in asked])
    measured = general + 0.35 * rng.normal(size=N_PEOPLE)
    return answers, measured >= np.sort(measured)[-N_POSITIVE]


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


def _in_order(asked: list[SurveyQuestion]) -> list[str]:
    return list(dict.fromkeys(question.theme for question in asked))
