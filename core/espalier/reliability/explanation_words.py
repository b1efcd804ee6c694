"""The explanation of one prediction in sentences: reasons, runner-up, stability, and what would change it.

The sentences contain names from the data and no markup; pages that show them as Markdown must escape them.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset
from espalier.display.text.splits import demand_words
from espalier.display.text.trees import FEW, class_answer, join, phrase, phrase_with_unit, rule, share_words
from espalier.display.text.values import behind, cut_words, in_unit, in_words, split_unit, value_text
from espalier.display.theme import number, percent
from espalier.explanation.shapley import PredictionParts, prediction_parts
from espalier.language import say, to_say
from espalier.oblique import ObliqueTree
from espalier.predict import leaders, leaves
from espalier.reliability.changeable import changed_to
from espalier.reliability.counterfactuals import Change, Counterfactual
from espalier.reliability.explanation import NEAR, Story
from espalier.reliability.uncertainty import contributions
from espalier.reliability.words import conflict_words, rows_in, shares_words, votes_words, weight_words
from espalier.tree.modules import answer as fractions_over_leaves
from espalier.tree.rules import all_demands
from espalier.trees import CultivatedTree, Forest, Tree

STEADY = 0.7  # least share of models on redrawn data with the same prediction, to be relied on
ALIKE = 1e-9


def says(dataset: Dataset, answers: np.ndarray, answer: float | None = None, n: int | None = None) -> str:
    """Return a prediction: "versicolor, 64 %", or "151"; `answer` is the class, None: the most frequent.

    Of classes that tie none is said alone, and a share of few rows `n` stands with them (`display.text.trees`).
    """
    if not dataset.is_classification:
        return target_text(dataset, float(answers[0]))
    k, ties = int(answers.argmax() if answer is None else answer), leaders(answers)
    if len(ties) > 1 and k in ties:
        return class_answer(dataset.target, answers, n)
    share = float(answers[k])
    few = n is not None and n < FEW
    return f"{in_words(dataset.target, k)}, {share_words(share if few else min(round(share, 3), 1.0), n)}"


def rows_behind(model: object, x: np.ndarray) -> int | None:
    """Return how many rows are in the leaf of a sample (n_features,); None unless the model is one tree."""
    if not isinstance(model, (Tree, ObliqueTree)):
        return None
    return int(model.n_samples[leaves(model, x[None, :])[0]])


def target_text(dataset: Dataset, x: float) -> str:
    """Return a number that is predicted, with the unit that its name ends with: "151 mmHg"."""
    return value_text(dataset.target, x, 3) + behind(split_unit(dataset.target)[1])


def why(story: Story, dataset: Dataset) -> list[str]:
    """Return the basis of the prediction, in a sentence or two."""
    if isinstance(story.model, (Tree, ObliqueTree)):
        leaf = int(leaves(story.model, story.x[None, :])[0])
        if isinstance(story.model, Tree):
            missing = np.array([bool(np.isnan(column).any()) for column in dataset.X.T])
            conditions = rule(story.model, dataset.features, leaf, missing)
        else:
            conditions = [demand_words(demand, dataset.features) for demand in all_demands(story.model)[leaf]]
        return [_because(story, dataset, conditions, rows_in(story.model, dataset, leaf))]
    if isinstance(story.model, CultivatedTree):
        return _why_cultivated(story, story.model, dataset)
    if isinstance(story.model, Forest):
        return _why_forest(story, story.model, dataset)
    if math.isinf(story.ruled_out):
        return [say("This model asks no questions: it says the same of every row.")]
    return [say("Its answer is no single path: what would change it shows which columns matter here.")]


def _because(story: Story, dataset: Dataset, conditions: list[str], n_rows: float) -> str:
    """Return a sentence on the conditions of a path, and the rows in its leaf."""
    content = (
        shares_words(story.answers, dataset.target)
        if dataset.is_classification
        else say("mean {mean}", mean=says(dataset, story.answers))
    )
    values = {"rows": weight_words(n_rows), "held": content}
    if not conditions:
        return say("The tree has only one leaf, of {rows}: {held}.", **values)
    return say(
        "Because {conditions}. It learned from {rows} like this one: {held}.",
        conditions=join(conditions, "and"),
        **values,
    )


def _why_cultivated(story: Story, tree: CultivatedTree, dataset: Dataset) -> list[str]:
    answer = fractions_over_leaves(tree, story.x)
    n, spread = len(answer.leaves), float(story.doubts.doubt[0])
    if n == 1:
        return [say("The row is in one leaf.")]
    apart = _points(spread) if dataset.is_classification else target_text(dataset, spread)
    text = say("The row is in {n} leaves at once, whose answers differ by about {apart}.", n=n, apart=apart)
    if not story.conflicts:
        return [text]
    conflicts = conflict_words(tree, dataset, story.x)
    return [text, say("It is divided because {conflicts}.", conflicts=conflicts)]


def parts_of(story: Story, dataset: Dataset) -> PredictionParts | None:
    """Return what each feature adds to the prediction; None of models of which nothing tells it.

    Shapley values where a row is in one leaf of each tree; of cultivated trees what the splits on its way add.
    """
    model = story.model
    k = int(np.searchsorted(story.classes, int(story.answer))) if dataset.is_classification else 0
    parts = prediction_parts(model, story.x, k)
    if parts is not None or isinstance(model, ObliqueTree) or model is None:
        return parts
    sums = contributions(model, story.x)
    if sums is None:
        return None
    return PredictionParts(float(sums.base[k]), sums.added[:, k], "identity")


def _why_forest(story: Story, forest: Forest, dataset: Dataset) -> list[str]:
    n, votes = forest.n_trees, story.doubts.votes
    if forest.combine == "sum":
        return [say("It is the sum of {n} trees, each of which corrects those before it.", n=n)]
    if not dataset.is_classification or votes is None:
        return [say("It is the mean of the predictions of {n} trees.", n=n)]
    return [say("{votes}; {n} trees have a vote.", votes=votes_words(votes[0], dataset.target), n=n)]


# ---- what nearly won


def nearly(story: Story, dataset: Dataset) -> list[str]:
    """Return the class that came second, and the thresholds that the sample is close to."""
    sentences = []
    if dataset.is_classification:
        second = story.runner_up
        name, share = in_words(dataset.target, second), float(story.answers[second])
        if share > ALIKE:
            values = {"name": name, "share": percent(round(share, 3)), "gap": _points(story.lead)}
            sentences.append(say("{name} came second with {share}, {gap} behind.", **values))
    sentences += [_close(story, dataset, i) for i in close_steps(story)]
    return sentences


def close_steps(story: Story) -> list[int]:
    """Return the steps of a path with a close threshold beyond which the prediction is another."""
    if not isinstance(story.model, Tree):
        return []
    own = story.model.value[leaves(story.model, story.x[None, :])[0]]
    answers = [step.otherwise.argmax() if len(own) > 1 else step.otherwise[0] for step in story.steps]
    same = own.argmax() if len(own) > 1 else own[0]
    near = [i for i, step in enumerate(story.steps) if step.gap <= NEAR and answers[i] != same]
    return sorted(near, key=lambda i: story.steps[i].gap)


def _close(story: Story, dataset: Dataset, i: int) -> str:
    step, tree = story.steps[i], story.model
    assert isinstance(tree, Tree)
    f = int(tree.feature[step.node])
    feature, cut = dataset.features[f], float(tree.threshold[step.node])
    otherwise = np.zeros_like(story.answers)
    otherwise[story.classes if len(otherwise) > 1 else [0]] = step.otherwise
    return say(
        "It was close at {name}: {value}; the limit is {cut}, {share} of its range away, beyond it {answer}.",
        name=split_unit(feature)[0],
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
        low, high = np.quantile(again[:, 0], [0.1, 0.9]).tolist()
        return say(
            "Four in five of {n} models on redrawn rows would say between {low} and {high}.",
            n=n,
            low=number(low),
            high=target_text(dataset, high),
        )
    same = int((again.argmax(axis=1) == answer).sum())
    counts = np.bincount(again.argmax(axis=1), minlength=len(dataset.classes))
    rest = [int(k) for k in np.argsort(-counts, kind="stable") if counts[k] and k != answer]
    other_texts = [say("{n} would say {answer}", n=counts[k], answer=in_words(dataset.target, k)) for k in rest]
    text = say(
        "{same} of {n} models on redrawn rows would say the same ({share})",
        n=n,
        same=same,
        share=percent(round(same / n, 3)),
    )
    text = f"{'; '.join(filter(None, [text, ', '.join(other_texts)]))}."
    return text if same / n >= STEADY else f"{text} {say('Do not rely on it.')}"


# ---- what would change a prediction, in sentences: the smallest change, how sure that is, and a table of changes

CHANGES = (to_say("column"), to_say("now"), to_say("would have to be"), to_say("change"), to_say("it would say"))


def counterfactual_words(story: Story, dataset: Dataset) -> str:
    """Return the smallest change of the sample that changes the prediction, and whether it is proved smallest."""
    flip = story.flip
    what = goal_words(story, dataset)
    if flip is None:
        return _nothing_does(story, what)
    changes = join([change_words(change, dataset) for change in flip.changes], "and")
    answer = _other_answer(story, dataset, flip)
    text = say("If {changes}, it would say {answer}.", changes=changes, answer=answer)
    return f"{text} {_how_sure(story, flip)}"


def goal_words(story: Story, dataset: Dataset) -> str:
    """Return what a change is to lead to: "another class", the class asked for, or a number so far away."""
    if dataset.is_classification:
        return say("another class") if story.toward is None else dataset.classes[story.toward]
    gap = target_text(dataset, story.least_move)
    if story.toward is None:
        return say("a number {gap} away", gap=gap)
    return say("a number {gap} greater" if story.toward > 0 else "a number {gap} smaller", gap=gap)


def _other_answer(story: Story, dataset: Dataset, counterfactual: Counterfactual) -> str:
    """Return what would be said; where two classes have the same share, the one that was not said before."""
    answers = counterfactual.answer.copy()
    x_then = changed_to(story.x, [(change.feature, change.after) for change in counterfactual.changes])
    n = rows_behind(story.model, x_then)
    if not dataset.is_classification:
        return says(dataset, answers)
    if story.toward is not None:
        return says(dataset, counterfactual.answer, float(story.toward), n)
    answers[int(story.answer)] = -1.0
    return says(dataset, counterfactual.answer, float(answers.argmax()), n)


def _nothing_does(story: Story, what: str) -> str:
    if story.is_baseline:
        return say("Nothing does: its prediction is the same for every row.")
    if math.isinf(story.ruled_out):
        text = say("No change of what may change makes it say {what}.", what=what)
        return f"{text} {say('This is certain: all were ruled out.')}"
    text = say("No change was found that makes it say {what}, but not all were tried.", what=what)
    return f"{text} {_ruled_out(story)}".rstrip()


def _ruled_out(story: Story) -> str:
    """Return which changes are ruled out for certain; empty if none are."""
    n = int(story.ruled_out)
    columns = say("one column") if n == 1 else say("{n} columns", n=n)
    return say("It is proved that up to {columns} cannot do it.", columns=columns) if n else ""


def _how_sure(story: Story, counterfactual: Counterfactual) -> str:
    if counterfactual.is_exact:
        return say("That is proved to be the smallest change: fewer columns do not do it, nor do nearer values.")
    text = say("The nearest that was found, not proved: a smaller change may do it too.")
    return f"{text} {_ruled_out(story)}".rstrip()


def change_words(change: Change, dataset: Dataset) -> str:
    """Return a change: "petal length ≤ 4.95 instead of 5.1 (0.15 less, 2.5 % of its range)"."""
    feature = dataset.features[change.feature]
    values = {"demand": demand(change, dataset), "before": in_unit(feature, change.before)}
    if math.isnan(change.before) or feature.kind in ("category", "yes/no"):
        return say("{demand} instead of {before}", **values)
    by = number(abs(change.after - change.before))
    return say(
        "{demand} instead of {before} ({by} more, {share} of its range)"
        if change.after > change.before
        else "{demand} instead of {before} ({by} less, {share} of its range)",
        **values,
        by=by,
        share=percent(round(change.spans, 4)),
    )


def demand(change: Change, dataset: Dataset) -> str:
    """Return the condition on the value after the change."""
    feature, bound = dataset.features[change.feature], change.bound
    if feature.categories and not bound.is_threshold:
        return phrase(bound._replace(missing=False), dataset.features)
    if feature.categories:
        return say("{name} is {value}", name=feature.name, value=in_words(feature, change.after))
    if bound.is_threshold:
        return phrase_with_unit(bound._replace(missing=False), dataset.features)
    name, unit = split_unit(feature)
    return f"{name if unit else feature.name} = {in_unit(feature, change.after)}"


def changes_table(story: Story, dataset: Dataset) -> pd.DataFrame:
    """Return, for each feature that alone can change the prediction, its value, the one needed, the distance."""
    rows = []
    for counterfactual in story.singles:
        (change,) = counterfactual.changes
        feature = dataset.features[change.feature]
        cells = (feature.name, in_unit(feature, change.before), demand(change, dataset))
        rows.append((*cells, percent(round(change.spans, 4)), _other_answer(story, dataset, counterfactual)))
    return pd.DataFrame(rows, columns=[say(head) for head in CHANGES])
