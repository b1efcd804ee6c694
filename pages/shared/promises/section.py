"""Sets of classes, or intervals, that hold the truth as often as a person asks."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.grown import GrownTree
from espalier.language import Refusal, say, to_say
from espalier.new_rows.promise_words import leaves_table, promises_table
from espalier.new_rows.promises import (
    ALL,
    DOUBT_WIDTH,
    EACH_CLASS,
    EQUAL,
    PromisedAnswers,
    promised_intervals,
    promised_sets,
)
from pages.shared.app import links
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain_table
from pages.shared.app.store import of_table
from pages.shared.canvas.components import data_table
from pages.shared.canvas.control import Control, slider
from pages.shared.jobs.run import sentence
from pages.shared.reliability import curves
from pages.shared.reliability.models import AnsweredModel
from pages.shared.tree import results
from pages.shared.tree.results import LEVEL

OPENED = "promises-of-leaves"  # key of the fold
CONTROL = Control(
    "level", LEVEL, (50, 99), to_say("Truth inside, at least"),
    to_say("Of so many new rows the truth is inside, if they are like these. *Term:* conformal prediction."),
    slider, said=app_sentences.percentage,
)  # fmt: skip


def url_entries() -> list[Entry]:
    """The level, and what earlier versions promised beside it."""
    by_class = links.Gone(say("the share is promised over all rows; `promised_sets(by='class')` does each class"))
    by_doubt = links.Gone(say("intervals have one width; `promised_intervals(by='doubt')` makes others"))
    return [
        CONTROL.entry,
        Entry("per", ALL, links.one_of_or_former((ALL,), {EACH_CLASS: by_class})),
        Entry("width", EQUAL, links.one_of_or_former((EQUAL,), {DOUBT_WIDTH: by_doubt})),
    ]


def draw(dataset: Dataset, models: Sequence[AnsweredModel]) -> None:
    """Draw the level, and what each model then names."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        CONTROL.draw()
    with right:
        try:
            table = table_of(dataset, models)
        except Refusal as too_few_groups:  # the same for every model, since the folds are
            st.info(sentence(str(too_few_groups)))
            return
        st.table(
            plain_table(table), border="horizontal", alt=say("What each model promises, and how often it holds")
        )
        if warning := curves.warning(dataset):
            st.caption(warning)


def table_of(dataset: Dataset, models: Sequence[AnsweredModel]) -> pd.DataFrame:
    """The table of what the models promise at the level that is set. Raises Refusal for too few groups."""
    level = st.session_state["level"]
    return promises_table([(one.title, _promised(one, level)) for one in models], dataset.classes)


@of_table(max_entries=64)
def _promised(one: AnsweredModel, percent: int) -> PromisedAnswers:
    promised = promised_sets if one.trial.dataset.is_classification else promised_intervals
    return promised(one.fold_models, percent / 100)


# ---- the leaves of one tree


def tree_entries() -> list[Entry]:
    """The level; and the test of the rows held out, which is on another page now."""
    elsewhere = links.Gone(say("Ask it, under Use, tests whether rows are like the old ones"))
    return [
        CONTROL.entry,
        Entry("tree-drift", "no", links.one_of_or_former(("no",), {"yes": elsewhere}), name="drift"),
    ]


def draw_leaves(grown: GrownTree) -> None:
    """Draw what each leaf of a tree promises for new rows."""
    if not results.can_promise(grown):
        st.caption(say("Leaves promise something where rows are held out, each in one leaf with one answer."))
        return
    CONTROL.draw()
    found = results.promised(grown, st.session_state["level"])
    data_table(
        leaves_table(found, grown.sharp, grown.dataset), hide_index=True,
        alt=say("What each leaf promises for new rows"),
    )  # fmt: skip
    st.caption(
        say(
            "By the held-out rows of each leaf; too good if you chose the tree by their score. *Term:* Mondrian "
            "conformal prediction."
        )
    )
