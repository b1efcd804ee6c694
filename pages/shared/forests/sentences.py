"""Sentences that several parts of a page say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import ClassMarks, Feature
from espalier.display.boundaries.plane import drawn_rows
from espalier.display.tables import to_csv
from espalier.display.theme import count, percent
from espalier.export.json import STEP, score_of
from espalier.forests.agreement_pictures import MOST_FEATURES, importance_picture
from espalier.forests.growth import Importance, importance_of
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.language import Later, say, to_say
from espalier.trees import read_only
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.app.table_results import of_table
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

PAIRS = to_say(
    "Each cell is a pair of trees: the stronger its colour, the more rows they say the "
    "same of (Ho 1998). Forests whose trees agree less have more to gain from averaging, "
    "as long as each tree stays good."
)
LIMITS_OF_IMPORTANCE = to_say(
    "**What this cannot say.** Where two columns tell the same, trees take now one, now "
    "the other, and the one covers for the other that is shuffled: each looks worth less "
    "than both are together. Shuffling also makes rows that could not be, say a tall "
    "child of 5 kg. And a column that a forest relies on need not be a cause: it may "
    "stand in for something that was not measured."
)
MEAN_OF_LOG_ODDS = to_say(
    "Its trees say log odds, whose mean over the trees is made into shares: each counts "
    "as much as any other, and none of them votes."
)
NO_PARTS = to_say(
    "There is no exact answer here: in these trees a row is in many leaves, or a split asks for several columns."
)
TOGETHER_HELP = to_say(
    "A bar is a pair of columns: how much of an answer depends on both values at once, "
    "beyond what each adds by itself, on average over the rows. If answers were sums of "
    "one part for each column, there would be no bars. The ten columns that add most are "
    "looked at. *Term:* Shapley interaction values (SHAP)."
)
UNEQUAL = to_say("The formula is of trees whose votes count the same; those of this forest do not.")
NOT_MEASURED = to_say("Not measured: every tree saw every row. Hold some rows out.")
HOW_TO_READ_WALL = to_say(
    "A tree hangs from its root: a node is as wide as its rows are many, and a leaf reaches the floor in the "
    "colour of its class. Trees that answer alike are neighbours. Click one to see its questions."
)
HOW_TO_READ = to_say("Questions from left to right; a row that answers yes goes up. Names are shortened to fit.")


def agreement_sentence(share: float, is_held_out: bool) -> str:
    """How often two trees agree."""
    rows = say("held-out rows", context="within a sentence") if is_held_out else say("rows, which they grew on")
    return say("Two trees say the same of **{share}** of the {rows}, on average.", share=percent(share), rows=rows)


def surface_dots(most: int, has_two_axes: bool) -> str:
    """Caption of the surfaces."""
    by_chance = "" if has_two_axes else say("; up and down they stand by chance")
    return say(
        "Dots are rows of the data, {most} at most{by_chance}. One tree is constant on boxes; the mean of many "
        "has as many steps as all of them have edges, so it looks smooth where they differ, and stays sharp "
        "where all cut at the same place.",
        most=most,
        by_chance=by_chance,
    )


def rounds(n: int) -> str:
    """A number of rounds."""
    return say("{n} round" if n == 1 else "{n} rounds", n=n)


def parts_caption(most: int, n: int) -> str:
    """Caption of the strips."""
    some = say(" {most} rows are drawn.", most=count(most)) if n > most else ""
    return say(
        "A dot is a row: how much this column's value adds to its answer, beside what the forest says before it "
        "knows any column; the stronger its colour, the greater the value. The number is the mean size. All "
        "columns together lead exactly to the answer. Rows that the forest grew on are among them.{some} *Term:* "
        "Shapley values (SHAP).",
        some=some,
    )


def curves_caption(most: int) -> str:
    """Caption of the curves."""
    return say(
        "The thick line is the mean answer if every row had this value of the column; thin lines are single "
        "rows, and the dark one is the chosen row, where it is. The lines are exact: they step at the trees' own "
        "thresholds. Of a larger table {most} rows count. *Terms:* partial dependence (PDP), individual "
        "conditional expectation (ICE).",
        most=count(most),
    )


def accumulated_caption(most: int) -> str:
    """Caption of the accumulated changes."""
    return say(
        "The rows between one dot and the next take the value of the first dot, then that of the second, and "
        "nothing else of them changes. The thick line adds up the mean changes of their answers, and is set "
        "around 0. No row is moved to where no rows are. The dashed line is the mean curve, around 0 too. Of a "
        "larger table {most} rows count. *Term:* accumulated local effects (ALE).",
        most=count(most),
    )


def forest_name(side: str) -> str:
    """Name of a forest."""
    return say("Forest {side}", side=side)


def forest_heading(side: str) -> str:
    """Name of a forest as a heading."""
    return f"**{forest_name(side)}**"


def out_of_bag_curve(side: str) -> str:
    """Name of a curve of the error out of bag."""
    return say("{side}, out of bag", side=side)


def held_out_curve(side: str) -> str:
    """Name of a curve of the error on held-out rows."""
    return say("{side}, held out", side=side)


# ---- A boosted sum among forests that vote: its trees are steps, each of a round and a class


def measures(one: GrownForest, error: str) -> list[str]:
    """Lines in place of strength and correlation."""
    if not one.has_rounds:
        return [
            say("All {n} trees together: error **{error}** on held-out rows.", n=one.forest.n_trees, error=error),
            say(MEAN_OF_LOG_ODDS),
        ]
    return [
        _rounds_and_error(n_rounds(one), one.trees_a_round, error),
        say(
            "Nothing is averaged here, so the formula does not apply. A tree does not vote; it "
            "corrects the sum of the earlier ones. That lowers the bias, and too many rounds "
            "follow the noise: the error may rise again."
        ),
    ]


def no_votes(one: GrownForest, side: str) -> str:
    """Why it has no votes to show."""
    return (
        say(
            "Forest {side} adds its trees up: each is a step that corrects the sum of the earlier ones and says "
            "nothing alone. So it has no votes to show here. *{TAB}* shows its steps.",
            side=side,
            TAB=say("Round by round"),
        )
        if one.has_rounds
        else (f"{say('Forest {side}:', side=side)} {say(MEAN_OF_LOG_ODDS)}")
    )


def n_rounds(one: GrownForest) -> int:
    """Number of rounds of a sum."""
    return one.forest.n_trees // one.trees_a_round


def round_words(one: GrownForest, number: int) -> str:
    """Round of a tree, counted from 0, and of several classes the one to whose score it adds."""
    name = plain(one.dataset.classes[class_of(one, number)]) if one.trees_a_round > 1 else ""
    return _round_and_class(number // one.trees_a_round + 1, name)


def class_of(one: GrownForest, number: int) -> int:
    """The class to whose score a tree, counted from 0, adds; of two classes, that of the log odds: the second."""
    k = one.trees_a_round
    if one.forest.link == "logistic":
        return 1
    return number % k if k == len(one.dataset.classes) else score_of(one.forest.trees[number])


def step_of(one: GrownForest, number: int) -> tuple[Any, Feature]:
    """A tree of the sum, counted from 0, as one that predicts a number: its step, in the colour of its class."""
    tree, target = one.forest.trees[number], one.dataset.target
    if target.categories:
        place = target.marks.places(len(target.categories))[class_of(one, number)]
        target = STEP._replace(marks=ClassMarks(colours=(place,)))
    else:
        target = STEP
    return tree._replace(value=read_only(tree.value[:, [score_of(tree)]])), target


def _rounds_and_error(n: int, trees_a_round: int, error: str) -> str:
    """Number of rounds, and the error on held-out rows."""
    each = (
        say(", each of {trees_a_round} trees, one for a class", trees_a_round=trees_a_round)
        if trees_a_round > 1
        else ""
    )
    return say("{n}{each}: error **{error}** on held-out rows.", n=rounds(n), each=each, error=error)


def _round_and_class(number_: int, of_class: str) -> str:
    """Round and class of a tree, among the small trees."""
    return (
        say("Round {number}, {of_class}", number=number_, of_class=of_class)
        if of_class
        else say("Round {number}", number=number_)
    )


# ---- importance of the features to each forest: the rise of the error where a feature is shuffled


def draw(pair: list[GrownForest]) -> None:
    """Draw the bars of both forests, and their limits."""
    data = pair[0].dataset
    st.caption(_importance_caption(data.is_classification, MOST_FEATURES, len(data.features)))
    importances = [found_of(one) for one in pair]
    reach = ends_of([each for each in importances if isinstance(each, Importance)])
    for column, side, one, each in zip(st.columns(2, gap="medium"), SIDES, pair, importances, strict=True):
        with column:
            st.markdown(forest_heading(title(side)))
            if isinstance(each, str):
                st.caption(
                    plain(
                        say("There is none: {reason}.", reason=say(each))
                        if each
                        else say("Every tree of it saw every row. Hold some rows out, to shuffle those.")
                    )
                )
            else:
                _bars(one, side, each, reach)
    st.info(say(LIMITS_OF_IMPORTANCE))


@of_table(max_entries=16, show_spinner=Later(lambda: say("Shuffling the columns …")))
def found_of(grown: GrownForest) -> Importance | str:
    """The importance, or why there is none: in English, for visitors of any language; empty if no row is left."""
    data, in_bag = grown.dataset, grown.in_bag
    rows = grown.rows if in_bag is not None else np.flatnonzero(grown.held)
    if not len(rows):
        return ""
    some = drawn_rows(len(rows))
    rows, n_trees = rows[some], grown.forest.n_trees
    seen = np.zeros((n_trees, len(rows)), np.uint8) if in_bag is None else in_bag[:, some]
    weight = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    target = WeightedTarget(data.y[rows].astype(np.float64), weight, data.is_classification)
    try:
        return importance_of(grown.forest, data.X[rows], target, seen)
    except ValueError as why:
        return str(why)


def ends_of(importances: list[Importance]) -> list[float]:
    """Both ends of the axis that the forests share, so that their bars can be compared."""
    ends = [0.0]
    for one in importances:
        error = np.nan_to_num(one.error)
        ends += [*(one.mean - error).tolist(), *(one.mean + error).tolist()]
    pad = 0.04 * (max(ends) - min(ends))
    return [min(ends) - pad, max(ends) + pad]


def _bars(one: GrownForest, side: str, importance: Importance, reach: list[float]) -> None:
    names = [feature.name for feature in one.dataset.features]
    is_share = one.dataset.is_classification
    picture = importance_picture(importance, names, is_share, reach)
    pictures.plot(picture, f"importance {side}", pictures.NO_BAR)
    pictures.save(lambda: csv_of(importance, names), f"importance-in-forest-{side}.csv")


def csv_of(importance: Importance, names: list[str]) -> str:
    """The bars as a table, the most important feature first."""
    columns = (names, importance.mean, importance.error, importance.spread)
    headings = (say("column"), say("rise of the error"), say("standard error"), say("spread over trees"))
    table = pd.DataFrame(dict(zip(headings, columns, strict=True)))
    return to_csv(table.sort_values(say("rise of the error"), ascending=False))


def _importance_caption(is_classification: bool, n_drawn: int, n_features: int) -> str:
    """Caption of the bars."""
    kind = say("error") if is_classification else say("mean squared error")
    most = say(
        " The {n_drawn} most important of {n_features} columns are drawn; the file has all.",
        n_drawn=n_drawn,
        n_features=n_features,
    )
    return say(
        "A column's values are shuffled among the rows that a tree has not seen; the bar is how much the tree's "
        "{kind} rises on average over the trees (Breiman 2001, section 10). The line is the standard error of "
        "that mean: how far chance in growing the trees may put it off.",
        kind=kind,
    ) + most * (n_features > n_drawn)
