"""The explanation of one prediction in sentences: reasons, runner-up, and stability.

The sentences contain names from the data and no markup; pages that show them as Markdown must escape them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import in_unit, in_words, named_value
from espalier.display.text.splits import demands_words
from espalier.display.text.trees import FEW, class_answer, join, rule, share_words
from espalier.display.text.values import behind, cut_words, parted, written
from espalier.display.theme import number, percent
from espalier.explanation.shapley import LOG_ODDS, PredictionParts, prediction_parts
from espalier.language import say, to_say
from espalier.oblique import ObliqueTree
from espalier.predict import leaves
from espalier.reliability.explanation import NEAR, Story
from espalier.reliability.reasons import conflict_words, rows_in, shares_words, votes_words, weight_words
from espalier.reliability.uncertainty import contributions
from espalier.ties import leaders
from espalier.tree.modules import answer as fractions_over_leaves
from espalier.tree.rules import all_demands
from espalier.trees import CultivatedTree, Forest, Tree

MOST_REASONS = 4  # features named at most
LEAST_REASON = 0.05  # least part of the whole change that a named feature has
NEAR_LEAD = 0.25  # of the predicted class over the second: a greater lead is not called near
STEADY, FAIRLY_STEADY = 0.9, 0.7  # least shares of models on redrawn data with the same prediction
ALIKE = 1e-9


def says(dataset: Dataset, answers: np.ndarray, answer: float | None = None, n: int | None = None) -> str:
    """Return a prediction: "versicolor, 64 %", or "151"; `answer` is the class, None: the most frequent.

    Of classes that tie none is said alone, and a share of few rows `n` stands with them (`display.text.trees`).
    """
    if not dataset.is_classification:
        return in_target_unit(dataset, float(answers[0]))
    k, tied = int(answers.argmax() if answer is None else answer), leaders(answers)
    if len(tied) > 1 and k in tied:
        return class_answer(dataset.target, answers, n)
    share = float(answers[k])
    few = n is not None and n < FEW
    return f"{in_words(dataset.target, k)}, {share_words(share if few else min(round(share, 3), 1.0), n)}"


def rows_behind(model: object, x: np.ndarray) -> int | None:
    """Return how many rows are in the leaf of a sample (n_features,); None unless the model is one tree."""
    if not isinstance(model, (Tree, ObliqueTree)):
        return None
    return int(model.n_samples[leaves(model, x[None, :])[0]])


def in_target_unit(dataset: Dataset, x: float) -> str:
    """Return a number that is predicted, with the unit that its name ends with: "151 mmHg"."""
    return written(dataset.target, x, 3) + behind(parted(dataset.target)[1])


def why(story: Story, dataset: Dataset) -> list[str]:
    """Return the basis of the prediction, in a sentence or two."""
    if isinstance(story.model, Tree):
        return [_why_tree(story, story.model, dataset)]
    if isinstance(story.model, ObliqueTree):
        return [_why_oblique(story, story.model, dataset)]
    if isinstance(story.model, CultivatedTree):
        return _why_cultivated(story, story.model, dataset)
    if isinstance(story.model, Forest):
        return _why_forest(story, story.model, dataset)
    answer = says(dataset, story.answers, story.answer)
    if math.isinf(story.ruled_out):
        return [say("This model asks no questions: it says {answer} of every row.", answer=answer)]
    return [
        say(
            "It says {answer}. Its answer is no single path: what would change it shows which columns "
            "matter here.",
            answer=answer,
        )
    ]


def _why_tree(story: Story, tree: Tree, dataset: Dataset) -> str:
    leaf = _leaf(story, tree)
    missing = np.array([bool(np.isnan(column).any()) for column in dataset.X.T])
    return _because(story, dataset, rule(tree, dataset.features, leaf, missing), rows_in(tree, dataset, leaf))


def _why_oblique(story: Story, tree: ObliqueTree, dataset: Dataset) -> str:
    leaf = int(leaves(tree, story.x[None, :])[0])
    return _because(
        story, dataset, demands_words(all_demands(tree)[leaf], dataset.features), rows_in(tree, dataset, leaf)
    )


def _because(story: Story, dataset: Dataset, asked: list[str], n_rows: float) -> str:
    """Return a sentence on the conditions of a path, and the rows in its leaf."""
    held = (
        shares_words(story.answers, dataset.target)
        if dataset.is_classification
        else say("mean {mean}", mean=says(dataset, story.answers))
    )
    known = {"rows": weight_words(n_rows), "held": held}
    if not asked:
        return say("The tree has only one leaf, of {rows}: {held}.", **known)
    return say(
        "Because {conditions}. It learned from {rows} like this one: {held}.",
        conditions=join(asked, "and"),
        **known,
    )


def _leaf(story: Story, tree: Tree) -> int:
    """Return the leaf at the end of the path."""
    if not story.steps:
        return 0
    last = story.steps[-1]
    return int(tree.left[last.node] if last.left else tree.right[last.node])


def _why_cultivated(story: Story, tree: CultivatedTree, dataset: Dataset) -> list[str]:
    answer = fractions_over_leaves(tree, story.x)
    n, spread = len(answer.leaves), float(story.doubts.doubt[0])
    sentences = reasons(story, dataset)
    if story.conflicts:
        conflicts = conflict_words(tree, dataset, story.x)
        sentences.append(say("It is divided because {conflicts}.", conflicts=conflicts))
    if n == 1:
        return [*sentences, say("The row is in one leaf.")]
    apart = _points(spread) if dataset.is_classification else in_target_unit(dataset, spread)
    text = say("The row is in {n} leaves at once, whose answers differ by about {apart}.", n=n, apart=apart)
    return [*sentences, text]


def parts_of(story: Story, dataset: Dataset) -> PredictionParts | None:
    """Return what each feature adds to the prediction; None of models of which nothing tells it.

    Shapley values where a row is in one leaf of each tree; of cultivated trees what the splits on its way add.
    """
    model = story.model
    k = int(np.searchsorted(story.classes, int(story.answer))) if dataset.is_classification else 0
    found = prediction_parts(model, story.x, k)
    if found is not None or isinstance(model, ObliqueTree) or model is None:
        return found
    contributed = contributions(model, story.x)
    if contributed is None:
        return None
    return PredictionParts(float(contributed.base[k]), contributed.added[:, k], "identity")


def reasons(story: Story, dataset: Dataset) -> list[str]:
    """Return the features that led to the prediction, in a few sentences, the most important first.

    "For virginica: petal width 1.8 (21 percentage points). Against it: petal length 4.9 (6 percentage points). A
    row of which nothing is known would have 33 %." The parts of all features lead from there to the prediction.
    """
    found = parts_of(story, dataset)
    if found is None or not np.abs(found.added).any():
        return []
    added = found.added
    order = [int(f) for f in np.argsort(-np.abs(added), kind="stable") if added[f]]
    named = [f for f in order[:MOST_REASONS] if abs(added[f]) >= LEAST_REASON * np.abs(added).sum()]
    sentences = []
    for has_side, words in zip((added > 0, added < 0), _sides(story, dataset), strict=True):
        values = [_with_amount(story, dataset, f, found) for f in named if has_side[f]]
        sentences += [say(words[0], values=", ".join(values), **words[1])] if values else []
    rest = float(added[[f for f in order if f not in named]].sum())
    amount = _amount(rest, found, dataset)
    more = [_others_move(rest, amount, dataset.is_classification)] if len(order) > len(named) else []
    return [*sentences, *more, *_at_first(found, dataset)]


def _sides(story: Story, dataset: Dataset) -> tuple[tuple[str, dict[str, str]], tuple[str, dict[str, str]]]:
    """Return the phrases of what speaks for the answer and against it, with their values."""
    if not dataset.is_classification:
        return (to_say("It is raised by {values}."), {}), (to_say("It is lowered by {values}."), {})
    name = in_words(dataset.target, int(story.answer))
    return (to_say("For {name}: {values}."), {"name": name}), (to_say("Against it: {values}."), {})


def _with_amount(story: Story, dataset: Dataset, f: int, found: PredictionParts) -> str:
    """Return a feature with its value and its part: "petal width 1.8 (21 percentage points)"."""
    value = named_value(dataset.features[f], float(story.x[f]))
    return f"{value} ({_amount(float(found.added[f]), found, dataset)})"


def _others_move(by: float, amount: str, is_classification: bool) -> str:
    """Return how the features that are not named move the prediction."""
    if abs(by) < ALIKE:
        return say("All others together change nothing.")
    if is_classification:
        return say(
            "All others together speak for it ({amount})."
            if by > 0
            else "All others together speak against it ({amount}).",
            amount=amount,
        )
    return say(
        "All others together raise it ({amount})." if by > 0 else "All others together lower it ({amount}).",
        amount=amount,
    )


def _amount(by: float, found: PredictionParts, dataset: Dataset) -> str:
    """Return a part of the answer: in percentage points, in the number's unit, or as a factor.

    What adds to log odds multiplies the odds, and what adds to a logarithm multiplies the number.
    """
    if found.link in LOG_ODDS:
        return say("odds × {factor}", factor=number(math.exp(by)))
    if found.link == "log":
        return f"× {number(math.exp(by))}"
    return _points(abs(by)) if dataset.is_classification else in_target_unit(dataset, abs(by))


def _at_first(found: PredictionParts, dataset: Dataset) -> list[str]:
    """Return what would be said without any value; nothing where one score alone does not tell it."""
    if found.link == "softmax":
        return []
    if not dataset.is_classification:
        base = math.exp(found.base) if found.link == "log" else found.base
        return [
            say("Of a row of which nothing is known it would say {number}.", number=in_target_unit(dataset, base))
        ]
    share = 1 / (1 + math.exp(-found.base)) if found.link == "logistic" else found.base
    return [say("A row of which nothing is known would have {share}.", share=percent(round(share, 3)))]


def _why_forest(story: Story, forest: Forest, dataset: Dataset) -> list[str]:
    n, votes = forest.n_trees, story.doubts.votes
    if forest.combine == "sum":
        how = say("It is the sum of {n} trees, each of which corrects those before it.", n=n)
    elif not dataset.is_classification or votes is None:
        how = say("It is the mean of the predictions of {n} trees.", n=n)
    else:
        how = say("{votes}; {n} trees have a vote.", votes=votes_words(votes[0], dataset.target), n=n)
    return [*reasons(story, dataset), how]


# ---- what nearly won


def nearly(story: Story, dataset: Dataset) -> list[str]:
    """Return the class that came second, and the thresholds that the sample is close to."""
    sentences = []
    if dataset.is_classification:
        second = story.runner_up
        name, share = in_words(dataset.target, second), float(story.answers[second])
        if share > ALIKE:
            known = {"name": name, "share": percent(round(share, 3)), "gap": _points(story.lead)}
            sentences.append(say("{name} came second with {share}, {gap} behind.", **known))
        else:
            sentences.append(say("No other class has any share of the answer."))
    sentences += [_close(story, dataset, i) for i in close_steps(story)]
    return sentences


def is_near(story: Story, dataset: Dataset) -> bool:
    """Return whether another prediction was near: a second class not far behind, or a close threshold."""
    return (dataset.is_classification and story.lead <= NEAR_LEAD) or bool(close_steps(story))


def close_steps(story: Story) -> list[int]:
    """Return the steps of a path with a close threshold beyond which the prediction is another."""
    if not isinstance(story.model, Tree):
        return []
    own = story.model.value[_leaf(story, story.model)]
    near = [i for i, step in enumerate(story.steps) if step.gap <= NEAR and _differs(step.otherwise, own)]
    return sorted(near, key=lambda i: story.steps[i].gap)


def _differs(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(one.argmax() != other.argmax()) if len(one) > 1 else bool(one[0] != other[0])


def _close(story: Story, dataset: Dataset, i: int) -> str:
    step, tree = story.steps[i], story.model
    assert isinstance(tree, Tree)
    f = int(tree.feature[step.node])
    feature, cut = dataset.features[f], float(tree.threshold[step.node])
    otherwise = np.zeros_like(story.answers)
    otherwise[story.classes if len(otherwise) > 1 else [0]] = step.otherwise
    return say(
        "It was close at {name}: {value}, and the limit lies {cut}, {share} of its range away; beyond it the "
        "answer is {answer}."
        if feature.is_whole
        else "It was close at {name}: {value}, and the limit is {cut}, {share} of its range away; beyond it the "
        "answer is {answer}.",
        name=parted(feature)[0],
        value=in_unit(feature, float(story.x[f]), 6),
        cut=cut_words(feature, cut),
        share=percent(round(step.gap, 4)),
        answer=says(dataset, otherwise, n=int(tree.n_samples[step.beyond])),
    )


def _points(lead: float) -> str:
    return say("{n} percentage points", n=number(100 * lead, 2))


# ---- how steady it is


def refit_words(dataset: Dataset, answer: float, again: np.ndarray) -> str:
    """Return how many of the models on redrawn data, again (n_models, n_outputs), agree with `answer`."""
    n = len(again)
    if not dataset.is_classification:
        low, middle, high = np.quantile(again[:, 0], [0.1, 0.5, 0.9]).tolist()
        return say(
            "Had other rows been collected, four in five of {n} models would say between {low} and {high}, half "
            "of them at most {middle}.",
            n=n,
            low=number(low),
            high=in_target_unit(dataset, high),
            middle=in_target_unit(dataset, middle),
        )
    same = int((again.argmax(axis=1) == answer).sum())
    others = _others(dataset, answer, again)
    known = {"n": n, "same": same, "share": percent(round(same / n, 3))}
    text = say("Had other rows been collected, {same} of {n} models would say the same ({share})", **known)
    return f"{'; '.join(filter(None, [text, ', '.join(others)]))}. {_how_steady(same / n)}"


def _how_steady(share: float) -> str:
    """Return what follows from the share of models that agree."""
    if share >= STEADY:
        return say("The answer is steady.")
    if share >= FAIRLY_STEADY:
        return say("The answer is fairly steady.")
    return say("The answer depends on which rows happened to be collected: do not rely on it.")


def _others(dataset: Dataset, answer: float, again: np.ndarray) -> Sequence[str]:
    counts = np.bincount(again.argmax(axis=1), minlength=len(dataset.classes))
    order = [int(k) for k in np.argsort(-counts, kind="stable") if counts[k] and k != answer]
    return [say("{n} would say {answer}", n=counts[k], answer=in_words(dataset.target, k)) for k in order]
