"""What would change a prediction, in sentences: the smallest change, how sure that is, and a table of changes."""

from __future__ import annotations

import math

import pandas as pd

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import in_unit, in_words
from espalier.display.text.trees import in_units, join, phrase
from espalier.display.text.values import parted
from espalier.display.theme import number, percent
from espalier.language import say, to_say
from espalier.oblique import ObliqueTree
from espalier.reliability.changeable import changed_to
from espalier.reliability.counterfactuals import MOST_CHANGED, Change, Counterfactual
from espalier.reliability.explanation import Story
from espalier.reliability.explanation_words import in_target_unit, rows_behind, says
from espalier.reliability.smallest_change import SETS, SIZE, TIME, VOTES

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
    gap = in_target_unit(dataset, story.least_move)
    if story.toward is None:
        return say("a number {gap} away", gap=gap)
    return say("a number {gap} greater" if story.toward > 0 else "a number {gap} smaller", gap=gap)


def _other_answer(story: Story, dataset: Dataset, counterfactual: Counterfactual) -> str:
    """Return what would be said; where two classes have the same share, the one that was not said before."""
    answers = counterfactual.answer.copy()
    changed = changed_to(story.x, [(change.feature, change.after) for change in counterfactual.changes])
    n = rows_behind(story.model, changed)
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
    known = {"demand": demand(change, dataset), "before": in_unit(feature, change.before)}
    if math.isnan(change.before) or feature.kind in ("category", "yes/no"):
        return say("{demand} instead of {before}", **known)
    by = number(abs(change.after - change.before))
    return say(
        "{demand} instead of {before} ({by} more, {share} of its range)"
        if change.after > change.before
        else "{demand} instead of {before} ({by} less, {share} of its range)",
        **known,
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
        return in_units(bound._replace(missing=False), dataset.features)
    name, unit = parted(feature)
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
