"""The explanation of one prediction in sentences: reasons, runner-up, counterfactuals, and stability.

The sentences contain names from the data and no markup; pages that show them as Markdown must escape them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.analysis.cultivated.modules import answer as fractions_over_leaves
from espalier.analysis.reliability.contributions import contributions
from espalier.analysis.reliability.counterfactuals import MOST_CHANGED, Change, Counterfactual
from espalier.analysis.reliability.explanation import NEAR, Story
from espalier.analysis.reliability.uncertainty import measure_of
from espalier.analysis.tree.slants import all_demands
from espalier.data.dataset import Dataset
from espalier.oblique import ObliqueTree
from espalier.predict import leaves
from espalier.trees import AnyTree, CultivatedTree, Forest, Tree
from espalier.views.boundaries.surface import in_words
from espalier.views.reliability.reasons import conflict_words, numbers_words, shares_words, votes_words
from espalier.views.text.slants import demands_words
from espalier.views.text.trees import join, phrase, rule
from espalier.views.text.whole_numbers import cut_words
from espalier.views.theme import number, percent

MOST_REASONS, LEAST_REASON = (
    4,
    0.05,
)  # features named at most; least part of the whole change that a named feature has
MOST_TREES = 12  # dissenting trees that are named
NEAR_LEAD = 0.25  # of the predicted class over the second: a greater lead is not called near
STEADY, FAIRLY_STEADY = 0.9, 0.7  # least shares of models on redrawn data with the same prediction
ALIKE = 1e-9


def says(dataset: Dataset, answers: np.ndarray, answer: float | None = None) -> str:
    """Return a prediction: "versicolor, 64 %", or "151"; `answer` is the class, None: the most frequent."""
    if not dataset.is_classification:
        return number(float(answers[0]))
    k = int(answers.argmax() if answer is None else answer)
    return f"{in_words(dataset.target, k)}, {percent(min(round(float(answers[k]), 3), 1.0))}"


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
        return [f"This model asks no questions: it says {answer} of every row."]
    return [
        f"It says {answer}. Its answer is no single path: what would change it shows which columns matter here."
    ]


def _why_tree(story: Story, tree: Tree, dataset: Dataset) -> str:
    leaf = _leaf(story, tree)
    missing = np.array([bool(np.isnan(column).any()) for column in dataset.X.T])
    return _because(story, dataset, rule(tree, dataset.features, leaf, missing), float(tree.weight[leaf]))


def _why_oblique(story: Story, tree: ObliqueTree, dataset: Dataset) -> str:
    leaf = int(leaves(tree, story.x[None, :])[0])
    return _because(
        story, dataset, demands_words(all_demands(tree)[leaf], dataset.features), float(tree.weight[leaf])
    )


def _because(story: Story, dataset: Dataset, asked: list[str], weight: float) -> str:
    """Return a sentence on the conditions of a path, and the weight of the rows in its leaf."""
    rows = f"{number(weight)} row{'' if weight == 1 else 's'}"
    held = (
        shares_words(story.answers, dataset.target)
        if dataset.is_classification
        else f"mean {says(dataset, story.answers)}"
    )
    if not asked:
        return f"The tree has only one leaf, of {rows}: {held}."
    return f"Because {join(asked, 'and')}. The leaf has {rows}: {held}."


def _leaf(story: Story, tree: Tree) -> int:
    """Return the leaf at the end of the path."""
    if not story.steps:
        return 0
    last = story.steps[-1]
    return int(tree.left[last.node] if last.left else tree.right[last.node])


def _why_cultivated(story: Story, tree: CultivatedTree, dataset: Dataset) -> list[str]:
    answer = fractions_over_leaves(tree, story.x)
    n, sigma = len(answer.leaves), number(float(story.doubts.doubt[0]))
    leaves = f"The row is divided among {n} leaves, whose answers differ by σ = {sigma}."
    sentences = reasons(story, tree, dataset)
    sentences += [f"It is divided because {conflict_words(tree, dataset, story.x)}."] if story.conflicts else []
    sentences.append(leaves if n > 1 else "The row is in one leaf.")
    return sentences


def reasons(story: Story, model: AnyTree | Forest, dataset: Dataset) -> list[str]:
    """Return the features that led to the prediction, in a sentence or two, the most important first.

    "Before any question versicolor has 33 %: petal width 1.8 adds 21 points and petal length 4.9 takes 6 points
    away." The contributions of all features sum to the prediction (see
    `espalier.analysis.reliability.contributions`).
    """
    contributed = contributions(model, story.x)
    if contributed is None or not np.abs(contributed.added).any():
        return []
    k = int(np.searchsorted(story.classes, int(story.answer))) if dataset.is_classification else 0
    added, base = contributed.added[:, k], float(contributed.base[k])
    order = [int(f) for f in np.argsort(-np.abs(added), kind="stable") if added[f]]
    named = [f for f in order[:MOST_REASONS] if abs(added[f]) >= LEAST_REASON * np.abs(added).sum()]
    values = [(dataset.features[f], float(story.x[f]), float(added[f])) for f in named]
    parts = [f"{feature.name} {in_words(feature, value, 4)} {_adds(by, dataset)}" for feature, value, by in values]
    rest = float(added[[f for f in order if f not in named]].sum())
    others = f"; all others together {_adds(rest, dataset, True)}" if len(order) > len(named) else ""
    start = f"it says {number(base)}"
    if dataset.is_classification:
        start = f"{in_words(dataset.target, int(story.classes[k]))} has {percent(round(base, 3))}"
    return [f"Before any question {start}: {join(parts, 'and')}{others}."]


def _adds(by: float, dataset: Dataset, several: bool = False) -> str:
    """Return how a feature moves the prediction: "adds 21 points", "takes 6 away"."""
    amount = _points(abs(by)) if dataset.is_classification else number(abs(by))
    if abs(by) < ALIKE:
        return "change nothing" if several else "changes nothing"
    if by > 0:
        return f"{'add' if several else 'adds'} {amount}"
    return f"{'take' if several else 'takes'} {amount} away"


def _why_forest(story: Story, forest: Forest, dataset: Dataset) -> list[str]:
    n, votes = forest.n_trees, story.doubts.votes
    if not dataset.is_classification or votes is None:
        differ = numbers_words(measure_of(forest), n, float(story.doubts.doubt[0]))
        return [*reasons(story, forest, dataset), f"It is the mean of the predictions of {n} trees: {differ}."]
    sentences = [
        *reasons(story, forest, dataset),
        f"{votes_words(votes[0], dataset.target)}; {n} trees have a vote.",
    ]
    if story.dissent:
        named = ", ".join(map(str, story.dissent[:MOST_TREES]))
        more = len(story.dissent) - MOST_TREES
        which = f"numbers {named}" if len(story.dissent) > 1 else f"number {named}"
        sentences.append(f"Those that disagree: {which}{f' and {more} more' if more > 0 else ''}.")
    if story.doubts.between is not None:
        part = percent(round(float(story.doubts.between[0]), 2))
        sentences.append(
            f"The answer's spread is σ = {number(float(story.doubts.doubt[0]))}, {part} of it between trees."
        )
    return sentences


# ---- what nearly won


def nearly(story: Story, dataset: Dataset) -> list[str]:
    """Return the class that came second, and the thresholds that the sample is close to."""
    sentences = []
    if dataset.is_classification:
        second = story.runner_up
        name, share = in_words(dataset.target, second), float(story.answers[second])
        if share > ALIKE:
            sentences.append(f"{name} came second with {percent(round(share, 3))}, {_points(story.lead)} behind.")
        else:
            sentences.append("No other class has any share of the answer.")
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
    where = f"the tree cuts {'at ' * (not feature.is_whole)}{cut_words(feature, cut)}"
    otherwise = np.zeros_like(story.answers)
    otherwise[story.classes if len(otherwise) > 1 else [0]] = step.otherwise
    return (
        f"It was close at {feature.name}: {in_words(feature, float(story.x[f]), 6)}, and {where}, "
        f"{percent(round(step.gap, 4))} of its range away; the other side says {says(dataset, otherwise)}."
    )


def _points(lead: float) -> str:
    return f"{number(100 * lead, 2)} points"


# ---- what would change it


CUT = "This model answers slowly: the search was stopped before all columns were tried, and others may do it too."


def counterfactual_words(story: Story, dataset: Dataset) -> str:
    """Return the smallest change of the sample that changes the prediction, and whether it is proved smallest."""
    flip = story.flip
    what = "another class" if dataset.is_classification else f"a number {number(story.least_move)} away"
    if flip is None:
        return _nothing_does(story, what)
    changes = join([change_words(change, dataset) for change in flip.changes], "and")
    more = f" {CUT}" if story.is_cut and not flip.is_exact else ""
    return f"With {changes} it would say {says(dataset, flip.answer)}. {_how_sure(story, flip)}{more}"


def _nothing_does(story: Story, what: str) -> str:
    if story.model is None and math.isinf(story.ruled_out):
        return "Nothing does: its prediction is the same for every row."
    if math.isinf(story.ruled_out):
        of = "what may change" if any(story.allowed) else "its columns to values that the table has"
        return f"No change of {of} makes it say {what}. This is certain: all were ruled out."
    if story.is_cut:
        return f"No change was found that makes it say {what}{_surely(story)}. {CUT}"
    tried = f"up to {_features(max(MOST_CHANGED, int(story.ruled_out)))}"
    words = f"No change of {tried} was found that makes it say {what}{_surely(story)}."
    return f"{words} There may be one: not all were tried."


def _surely(story: Story) -> str:
    return f"; up to {_features(int(story.ruled_out))} certainly do not do it" if story.ruled_out else ""


def _how_sure(story: Story, counterfactual: Counterfactual) -> str:
    n, ruled_out = len(counterfactual.changes), int(story.ruled_out)
    if counterfactual.is_exact:
        return "That is the smallest change there is: of the fewest columns, and of those the nearest."
    if story.model is None or isinstance(story.model, ObliqueTree):
        return "Not certified: values of the table were tried, column by column; a smaller change may do it too."
    if ruled_out == 0:
        return "Not certified: the search was too long to finish, and a smaller change may do it too."
    fewer = f"{_features(ruled_out)}{' or fewer' if ruled_out > 1 else ''} certainly cannot do it alone"
    if ruled_out == n - 1:
        return f"Partly certified: {fewer}, but nearer values of {_features(n)} may do it too."
    return f"Not certified: {fewer}, but fewer than these {n} may be enough."


def _features(n: int) -> str:
    return "one column" if n == 1 else f"{n} columns"


def change_words(change: Change, dataset: Dataset) -> str:
    """Return a change: "petal length ≤ 4.95 instead of 5.1 (2.5 % of its range)"."""
    feature = dataset.features[change.feature]
    text = f"{demand(change, dataset)} instead of {in_words(feature, change.before, 4)}"
    if math.isnan(change.before) or feature.kind in ("category", "yes/no"):
        return text
    return f"{text} ({percent(round(change.spans, 4))} of its range)"


def demand(change: Change, dataset: Dataset) -> str:
    """Return the condition on the value after the change."""
    feature, bound = dataset.features[change.feature], change.bound
    if feature.categories and not bound.is_threshold:
        return phrase(bound._replace(missing=False), dataset.features)
    if feature.categories:
        return f"{feature.name} is {in_words(feature, change.after)}"
    if bound.is_threshold:
        return phrase(bound._replace(missing=False), dataset.features)
    return f"{feature.name} = {in_words(feature, change.after, 4)}"


def changes_table(story: Story, dataset: Dataset) -> pd.DataFrame:
    """Return, for each feature that alone can change the prediction, its value, the one needed, the distance."""
    rows = []
    for counterfactual in story.singles:
        (change,) = counterfactual.changes
        feature = dataset.features[change.feature]
        cells = (feature.name, in_words(feature, change.before, 4), demand(change, dataset))
        rows.append((*cells, percent(round(change.spans, 4)), says(dataset, counterfactual.answer)))
    return pd.DataFrame(rows, columns=["column", "now", "would have to be", "change", "it would say"])


# ---- how steady it is


def refit_words(dataset: Dataset, answer: float, again: np.ndarray) -> str:
    """Return how many of the models on redrawn data, again (n_models, n_outputs), agree with `answer`."""
    n = len(again)
    if not dataset.is_classification:
        low, middle, high = np.quantile(again[:, 0], [0.1, 0.5, 0.9]).tolist()
        return (
            f"Of {n} models on redrawn data four in five say between {number(low)} and {number(high)}, "
            f"half of them at most {number(middle)}."
        )
    same = int((again.argmax(axis=1) == answer).sum())
    others = _others(dataset, answer, again)
    text = f"Of {n} models on redrawn data {same} say the same ({percent(round(same / n, 3))})"
    text = f"{text}; {', '.join(others)}." if others else f"{text}."
    return f"{text} {_how_steady(same / n)}"


def _how_steady(share: float) -> str:
    """Return what follows from the share of models that agree."""
    if share >= STEADY:
        return "The answer is steady."
    if share >= FAIRLY_STEADY:
        return "The answer is fairly steady."
    return "The answer depends on which rows happened to be in the table: do not rely on it."


def _others(dataset: Dataset, answer: float, again: np.ndarray) -> Sequence[str]:
    counts = np.bincount(again.argmax(axis=1), minlength=len(dataset.classes))
    order = [int(k) for k in np.argsort(-counts, kind="stable") if counts[k] and k != answer]
    return [f"{counts[k]} {'says' if counts[k] == 1 else 'say'} {in_words(dataset.target, k)}" for k in order]
