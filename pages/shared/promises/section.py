"""Sets of classes, or intervals, that hold the truth as often as a person asks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import number
from espalier.language import Refusal, Texts, english, say
from espalier.new_rows import promise_words
from espalier.new_rows import words as tables
from espalier.new_rows.promise_words import PromiseSummary
from espalier.new_rows.promises import (
    ALL,
    DOUBT_WIDTH,
    EACH_CLASS,
    EQUAL,
    PromisedIntervals,
    PromisedSets,
    promised_intervals,
    promised_sets,
)
from espalier.reliability.reliability import Steps, losses_by_uncertainty
from pages.shared.app import chosen_row, pictures
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import one_of, whole
from pages.shared.app.table_results import of_table
from pages.shared.canvas.slider import slider
from pages.shared.jobs.run import sentence
from pages.shared.models.drawer import pick
from pages.shared.promises import sentences
from pages.shared.reliability import curves
from pages.shared.reliability import sentences as reliability_sentences
from pages.shared.reliability.models import AnsweredModel
from pages.shared.tree.grown.leaf_promises import LEVEL

CONTROLS = Texts(
    {
        "level": (
            "Share of rows whose set, or interval, should contain the truth, in percent",
            "At least about this share of new rows, if they are like these, get a set, or an interval, that "
            "contains the truth. *Term:* conformal prediction.",
        ),
        "per": (
            "Promised",
            "*Over all rows*: the share is that of all rows together, and a rare class may get less. *For every "
            "class*: the share is promised within each class, and sets are usually larger. *Term:* Mondrian "
            "conformal prediction.",
        ),
        "width": (
            "Intervals",
            "*Of one width*: where the model doubts more, the truth is usually inside less often. *Wider where in "
            "doubt*: each is ± a multiple of its row's doubt, the same multiple for all rows.",
        ),
    }
)
PER = Texts({"all": "over all rows", "class": "for every class"})
WIDTH = Texts({"equal": "of one width", "doubt": "wider where in doubt"})

LEVELS = range(50, 100)


def url_entries() -> list[Entry]:
    """The level, and what it is promised for, as parts of the address."""
    return [
        level_entry(),
        Entry("per", ALL, one_of((ALL, EACH_CLASS))),
        Entry("width", EQUAL, one_of((EQUAL, DOUBT_WIDTH))),
    ]


def is_asked() -> bool:
    """Whether any of it was set."""
    return any(st.session_state[entry.key] != entry.default for entry in url_entries())


def level_entry() -> Entry:
    """The level, which the page Tree has, too."""
    return Entry("level", LEVEL, whole(LEVELS[0], LEVELS[-1]))


def pick_level() -> None:
    """Draw the control of the level."""
    pick(CONTROLS, "level", slider, options=LEVELS, default=LEVEL, format_func=app_sentences.percentage)


def draw(dataset: Dataset, models: Sequence[AnsweredModel]) -> None:
    """Draw the controls, what each model names at that level, and the rule for new rows."""
    is_classes = dataset.is_classification
    st.caption(sentences.introduction(is_classes))
    left, right = st.columns([2, 3], gap="medium")
    with left, st.container(key="promise box"):
        _draw_controls(is_classes)
    try:
        promises = [promise_of(one) for one in models]
    except Refusal as too_few_groups:  # the same for every model, since the folds are
        right.info(sentence(str(too_few_groups)))
        return
    classes = [plain(name) for name in dataset.classes]
    with right:
        _draw_figure(models, promises, is_classes)
    for one in promises:
        st.markdown(promise_words.promise_words(one, classes))
    rules = [(one.title, promise_words.rule_words(one, classes)) for one in promises]
    st.caption(
        " ".join(
            filter(None, [sentences.rules(rules, is_classes), reliability_sentences.warning(*_order(dataset))])
        )
    )
    _draw_row(dataset, models, promises)
    _save(dataset, models, promises)


def _draw_controls(is_classes: bool) -> None:
    pick_level()
    key = "per" if is_classes else "width"
    titles = PER if is_classes else WIDTH
    pick(CONTROLS, key, st.segmented_control, options=list(titles), format_func=titles.get, required=True)


def promise_of(one: AnsweredModel) -> PromiseSummary:
    """What a model promises at the level that is set."""
    is_classes = one.trial.dataset.is_classification
    by = st.session_state["per" if is_classes else "width"]
    return PromiseSummary(one.title, one.trial.slot, _promised(one, st.session_state["level"], by))


@of_table(max_entries=64)
def _promised(one: AnsweredModel, percent: int, by: str) -> PromisedSets | PromisedIntervals:
    promised = promised_sets if one.trial.dataset.is_classification else promised_intervals
    return promised(one.fold_models, percent / 100, by)


def _draw_figure(models: Sequence[AnsweredModel], promises: Sequence[PromiseSummary], is_classes: bool) -> None:
    if is_classes:
        picture = promise_words.sizes_picture(promises)
    else:
        pairs = list(zip(promises, map(steps_of, models, promises), strict=True))
        picture = promise_words.holding_picture(pairs)
    pictures.plot(picture._replace(alt=plain(picture.alt)), "promise-figure")


def steps_of(one: AnsweredModel, promise: PromiseSummary) -> Steps:
    """The share of intervals that hold the truth, by tenths of growing doubt."""
    return losses_by_uncertainty(one.answers._replace(loss=promise.promise.promised.holds.astype(float)))


def _order(dataset: Dataset) -> tuple[bool, bool]:
    """Whether rows belong together, and whether they follow each other."""
    return dataset.roles.groups is not None, dataset.roles.times is not None


def _draw_row(dataset: Dataset, models: Sequence[AnsweredModel], promises: Sequence[PromiseSummary]) -> None:
    """Draw what each model names for the chosen row, if one is chosen."""
    row = chosen_row.chosen()
    if row is None:
        return
    parts, classes = [], [plain(name) for name in dataset.classes]
    for one, promise in zip(models, promises, strict=True):
        places = np.flatnonzero((one.answers.row == row) & (one.answers.repeat == 0))
        if len(places):
            parts.append((promise.title, _named(promise, int(places[0]), classes)))
    if parts:
        st.markdown(_row_sentence(plain(dataset.roles.name_of(row, begins=True)), parts))


def _named(promise: PromiseSummary, place: int, classes: Sequence[str]) -> str:
    found = promise.promise
    if isinstance(found, PromisedSets):
        return promise_words.set_words(found.sets[place].tolist(), classes)
    return _interval(*found.ends[place].tolist())


def _save(dataset: Dataset, models: Sequence[AnsweredModel], promises: Sequence[PromiseSummary]) -> None:
    with english():
        parts = [
            tables.promised_rows(promise.promise, one.answers, dataset).assign(model=promise.title)
            for one, promise in zip(models, promises, strict=True)
        ]
    curves.save_table(
        say("What was promised for each row (.csv)"), pd.concat(parts, ignore_index=True), dataset, "promises"
    )


def _row_sentence(row: str, models: Sequence[tuple[str, str]]) -> str:
    """What each model names for the chosen row."""
    parts = "; ".join((f"{title}: **{named}**" for title, named in models))
    return say("{row}, chosen below: {parts}.", row=row, parts=parts)


def _interval(low: float, high: float) -> str:
    """An interval."""
    return say("{low} to {high}", low=number(low), high=number(high))
