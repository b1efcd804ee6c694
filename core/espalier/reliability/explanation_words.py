"""The explanation of one prediction in sentences: reasons, runner-up, stability, and what would change it.

The sentences contain names from the data and no markup; pages that show them as Markdown must escape them.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import in_unit, in_words, named_value
from espalier.display.text.splits import demands_words
from espalier.display.text.trees import FEW, class_answer, join, phrase, phrase_with_unit, rule, share_words
from espalier.display.text.values import behind, cut_words, split_unit, value_text
from espalier.display.theme import number, percent
from espalier.explanation.shapley import LOG_ODDS, PredictionParts, prediction_parts
from espalier.language import say, to_say
from espalier.oblique import ObliqueTree
from espalier.predict import leaves
from espalier.reliability.changeable import SETS, SIZE, TIME, VOTES, changed_to
from espalier.reliability.counterfactuals import MOST_CHANGED, Change, Counterfactual
from espalier.reliability.explanation import NEAR, Story
from espalier.reliability.uncertainty import contributions
from espalier.reliability.words import conflict_words, rows_in, shares_words, votes_words, weight_words
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
            conditions = demands_words(all_demands(story.model)[leaf], dataset.features)
        return [_because(story, dataset, conditions, rows_in(story.model, dataset, leaf))]
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
    sentences = reasons(story, dataset)
    if story.conflicts:
        conflicts = conflict_words(tree, dataset, story.x)
        sentences.append(say("It is divided because {conflicts}.", conflicts=conflicts))
    if n == 1:
        return [*sentences, say("The row is in one leaf.")]
    apart = _points(spread) if dataset.is_classification else target_text(dataset, spread)
    text = say("The row is in {n} leaves at once, whose answers differ by about {apart}.", n=n, apart=apart)
    return [*sentences, text]


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


def reasons(story: Story, dataset: Dataset) -> list[str]:
    """Return the features that led to the prediction, in a few sentences, the most important first.

    "For virginica: petal width 1.8 (21 percentage points). Against it: petal length 4.9 (6 percentage points). A
    row of which nothing is known would have 33 %." The parts of all features lead from there to the prediction.
    """
    parts = parts_of(story, dataset)
    if parts is None or not np.abs(parts.added).any():
        return []
    sizes = parts.added
    order = [int(f) for f in np.argsort(-np.abs(sizes), kind="stable") if sizes[f]]
    top = [f for f in order[:MOST_REASONS] if abs(sizes[f]) >= LEAST_REASON * np.abs(sizes).sum()]
    sentences = []
    for has_side, words in zip((sizes > 0, sizes < 0), _sides(story, dataset), strict=True):
        values = [
            f"{named_value(dataset.features[f], float(story.x[f]))} ({_amount(float(sizes[f]), parts, dataset)})"
            for f in top
            if has_side[f]
        ]
        sentences += [say(words[0], values=", ".join(values), **words[1])] if values else []
    rest = float(sizes[[f for f in order if f not in top]].sum())
    amount = _amount(rest, parts, dataset)
    more = [_others_move(rest, amount, dataset.is_classification)] if len(order) > len(top) else []
    return [*sentences, *more, *_at_first(parts, dataset)]


def _sides(story: Story, dataset: Dataset) -> tuple[tuple[str, dict[str, str]], tuple[str, dict[str, str]]]:
    """Return the phrases of what speaks for the answer and against it, with their values."""
    if not dataset.is_classification:
        return (to_say("It is raised by {values}."), {}), (to_say("It is lowered by {values}."), {})
    name = in_words(dataset.target, int(story.answer))
    return (to_say("For {name}: {values}."), {"name": name}), (to_say("Against it: {values}."), {})


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


def _amount(by: float, parts: PredictionParts, dataset: Dataset) -> str:
    """Return a part of the answer: in percentage points, in the number's unit, or as a factor.

    What adds to log odds multiplies the odds, and what adds to a logarithm multiplies the number.
    """
    if parts.link in LOG_ODDS:
        return say("odds × {factor}", factor=number(math.exp(by)))
    if parts.link == "log":
        return f"× {number(math.exp(by))}"
    return _points(abs(by)) if dataset.is_classification else target_text(dataset, abs(by))


def _at_first(parts: PredictionParts, dataset: Dataset) -> list[str]:
    """Return what would be said without any value; nothing where one score alone does not tell it."""
    if parts.link == "softmax":
        return []
    if not dataset.is_classification:
        base = math.exp(parts.base) if parts.link == "log" else parts.base
        return [
            say("Of a row of which nothing is known it would say {number}.", number=target_text(dataset, base))
        ]
    share = 1 / (1 + math.exp(-parts.base)) if parts.link == "logistic" else parts.base
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
            sentences.append(
                say(
                    "{name} came second with {share}, {gap} behind.",
                    name=name,
                    share=percent(round(share, 3)),
                    gap=_points(story.lead),
                )
            )
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
        "It was close at {name}: {value}, and the limit lies {cut}, {share} of its range away; beyond it the "
        "answer is {answer}."
        if feature.is_whole
        else "It was close at {name}: {value}, and the limit is {cut}, {share} of its range away; beyond it the "
        "answer is {answer}.",
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
        low, middle, high = np.quantile(again[:, 0], [0.1, 0.5, 0.9]).tolist()
        return say(
            "Had other rows been collected, four in five of {n} models would say between {low} and {high}, half "
            "of them at most {middle}.",
            n=n,
            low=number(low),
            high=target_text(dataset, high),
            middle=target_text(dataset, middle),
        )
    same = int((again.argmax(axis=1) == answer).sum())
    counts = np.bincount(again.argmax(axis=1), minlength=len(dataset.classes))
    rest = [int(k) for k in np.argsort(-counts, kind="stable") if counts[k] and k != answer]
    other_texts = [say("{n} would say {answer}", n=counts[k], answer=in_words(dataset.target, k)) for k in rest]
    text = say(
        "Had other rows been collected, {same} of {n} models would say the same ({share})",
        n=n,
        same=same,
        share=percent(round(same / n, 3)),
    )
    return f"{'; '.join(filter(None, [text, ', '.join(other_texts)]))}. {_how_steady(same / n)}"


def _how_steady(share: float) -> str:
    """Return what follows from the share of models that agree."""
    if share >= STEADY:
        return say("The answer is steady.")
    if share >= FAIRLY_STEADY:
        return say("The answer is fairly steady.")
    return say("The answer depends on which rows happened to be collected: do not rely on it.")


# ---- what would change a prediction, in sentences: the smallest change, how sure that is, and a table of changes

NOT_PROVED = {
    TIME: to_say(
        "The nearest that was found, not proved: the search was too long to finish, and a smaller change may "
        "do it too."
    ),
    SIZE: to_say(
        "The nearest that was found, not proved: these soft trees have too many splits to rule smaller changes "
        "out, and a smaller one may do it too."
    ),
    VOTES: to_say(
        "The nearest that was found, not proved: for soft trees that vote, or whose sum goes through a link, "
        "smaller changes cannot be ruled out, and a smaller one may do it too."
    ),
    SETS: to_say(
        "The nearest that was found, not proved: these trees have too many leaves, or a column of too many "
        "categories, to rule smaller changes out, and a smaller one may do it too."
    ),
}
CHANGES = (to_say("column"), to_say("now"), to_say("would have to be"), to_say("change"), to_say("it would say"))


def stopped_words() -> str:
    """Return why the search for a change was stopped."""
    return say(
        "This model answers slowly: the search was stopped before all columns were tried, and others may do it "
        "too."
    )


def counterfactual_words(story: Story, dataset: Dataset) -> str:
    """Return the smallest change of the sample that changes the prediction, and whether it is proved smallest."""
    flip = story.flip
    what = goal_words(story, dataset)
    if flip is None:
        return _nothing_does(story, what)
    changes = join([change_words(change, dataset) for change in flip.changes], "and")
    more = f" {stopped_words()}" if story.is_cut and not flip.is_exact else ""
    answer = _other_answer(story, dataset, flip)
    text = say("If {changes}, it would say {answer}.", changes=changes, answer=answer)
    return f"{text} {_how_sure(story, flip)}{more}"


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
    is_free = not any(story.allowed) and story.toward is None
    if story.is_baseline:
        return say("Nothing does: its prediction is the same for every row.")
    if math.isinf(story.ruled_out):
        return say(
            "No change of what may change makes it say {what}. This is certain: all were ruled out."
            if not is_free
            else "No change of its columns to values that the table has makes it say {what}. This is certain: all "
            "were ruled out.",
            what=what,
        )
    if story.is_cut:
        text = say("No change was found that makes it say {what}{surely}.", what=what, surely=_surely(story))
        return f"{text} {stopped_words()}"
    return say(
        "No change of up to {columns} was found that makes it say {what}{surely}. There may be one: not all were "
        "tried.",
        columns=_features(max(MOST_CHANGED, int(story.ruled_out))),
        what=what,
        surely=_surely(story),
    )


def _surely(story: Story) -> str:
    if not story.ruled_out:
        return ""
    return "; " + say("up to {columns} certainly do not do it", columns=_features(int(story.ruled_out)))


def _how_sure(story: Story, counterfactual: Counterfactual) -> str:
    n, ruled_out = len(counterfactual.changes), int(story.ruled_out)
    if counterfactual.is_exact:
        return say(
            "That is proved to be the smallest change: fewer columns do not do it, nor do nearer values of as "
            "many."
        )
    if not story.why_open and (story.model is None or isinstance(story.model, ObliqueTree)):
        return say(
            "The nearest that was found, not proved: values of the table were tried, column by column; a smaller "
            "change may do it too."
        )
    if ruled_out == 0:
        return say(NOT_PROVED[story.why_open or TIME])
    fewer = say("{columns} or fewer", columns=_features(ruled_out)) if ruled_out > 1 else _features(ruled_out)
    if ruled_out == n - 1:
        return say(
            "The nearest that was found: it is proved that {fewer} cannot do it, but nearer values of {columns} "
            "may.",
            fewer=fewer,
            columns=_features(n),
        )
    return say(
        "The nearest that was found: it is proved that {fewer} cannot do it, but fewer than these {n} may.",
        fewer=fewer,
        n=n,
    )


def _features(n: int) -> str:
    return say("one column") if n == 1 else say("{n} columns", n=n)


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
