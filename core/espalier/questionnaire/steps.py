"""A questionnaire as a table: numbered questions, each with both answers and the question to go on at."""

from __future__ import annotations

import numpy as np
import pandas as pd

from espalier.data.dataset import Feature
from espalier.display.text.trees import class_words, join
from espalier.display.text.values import written
from espalier.language import say
from espalier.questionnaire.questionnaire import Questionnaire, child, is_unsure
from espalier.questionnaire.words import odds, question, two_likeliest
from espalier.ties import leaders
from espalier.trees import LEAF


def ending(value: np.ndarray, target: Feature, limit: float, n: int | None = None) -> str:
    """Return the answer of a leaf of n rows: its class and how often that is right, the likeliest, or a number.

    >>> kind = Feature("kind", "category", ("a", "b"))
    >>> ending(np.array([0.9, 0.1]), kind, 0.6), ending(np.array([0.5, 0.5]), kind, 0.6)
    ('a (9 in 10)', 'not sure: a (5 in 10) or b (5 in 10)')
    """
    if not target.categories:
        return say("about {number}", number=written(target, float(value[0]), 3))
    is_open = is_unsure(value, limit)
    if not is_open:
        share, is_tie = odds(float(value.max()), n), len(leaders(value)) > 1
        return f"{class_words(target, value, str)} ({say('{share} each', share=share) if is_tie else share})"
    names = [f"{target.categories[k]} ({odds(float(value[k]), n)})" for k in two_likeliest(value)]
    return f"{say('not sure')}: {join(names, 'or')}"


def steps_table(form: Questionnaire, target: Feature, limit: float, counts_rows: bool = True) -> pd.DataFrame:
    """Return a row for each question, by its number, in the order of the sheet: from left to right.

    A class is an answer from a share of `limit` on. `counts_rows` says whether shares are of rows, not of a
    model's made-up cases.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_
    >>> steps_table(Questionnaire(tree, iris.features, (False,) * 4), iris.target, 0.6).iloc[0, :2].tolist()
    ['Is petal length at most 2.45?', 'Yes → setosa (in every case)']
    """
    splits = np.flatnonzero(form.tree.feature != LEAF).tolist()
    numbers = {node: place + 1 for place, node in enumerate(splits)}

    def goal(node: int) -> str:
        if node in numbers:
            return f"→ {say('go to {number}', number=numbers[node])}"
        n = int(form.tree.n_samples[node]) if counts_rows else None
        return f"→ {ending(form.tree.value[node], target, limit, n)}"

    rows = []
    for node in splits:
        asked = question(form, node)
        ways = [f"{one.label} {goal(child(form.tree, node, one.left))}" for one in asked.choices]
        rows.append((asked.text, *ways))
    heads = [say("question"), say("one answer"), say("the other answer")]
    return pd.DataFrame(rows, columns=heads, index=pd.Index(list(numbers.values()), name=say("number")))
