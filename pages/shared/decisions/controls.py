"""The one control of what errors cost: a class, how many times worse missing it is, threshold and prevalence.

The class and the factor are those that trees on the page Tree grow by, under the same names in the address.
"""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.decisions.decision import Decision
from espalier.language import say, to_say
from espalier.learners.catalogue.settings import COSTLY, TIMES
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.canvas.control import Control, slider
from pages.shared.models import settings
from pages.shared.models.settings import steps

SHARES = (
    Control(
        "threshold", None, (1.0, 99.0), to_say("Answered from, in percent"),
        to_say("The class is the answer from this share on. *Term:* decision threshold."),
        empty=to_say("as the costs ask for"),
    ),
    Control(
        "prevalence", None, (0.1, 99.9), to_say("Frequency, in percent"),
        to_say("Of the class, where it is used: if one patient in a hundred is ill, write 1. *Term:* prevalence."),
        empty=to_say("as in this table"),
    ),
)  # fmt: skip


def url_entries(dataset: Dataset) -> list[Entry]:
    """The control as parts of the address; a number has none."""
    if not dataset.is_classification:
        return []
    costs = [Entry(one.key, one.default, settings.reader(one, dataset.target)) for one in (COSTLY, TIMES)]
    return [*costs, *(share.entry for share in SHARES)]


def draw(dataset: Dataset) -> None:
    """Draw the control."""
    if dataset.is_classification:
        st.markdown(f"**{say('What errors cost')}**")
        draw_costs(dataset)
        draw_shares(dataset)


def draw_costs(dataset: Dataset) -> None:
    """Draw the class that is worse to miss, and how much, for data of classes."""
    if st.session_state[COSTLY.key] not in ("", *dataset.classes):
        st.session_state[COSTLY.key] = ""
    names = {"": say("all errors are alike")} | {name: name for name in dataset.classes}
    st.selectbox(
        say("Which error is worse?"), list(names), key=COSTLY.key, format_func=names.__getitem__,
        help=say("To take a row of this class for another. Trees grow by it; other models' answers follow it."),
    )  # fmt: skip
    if st.session_state[COSTLY.key]:
        slider(
            say("How many times worse"), key=TIMES.key, options=steps(TIMES), default=TIMES.default,
            format_func=app_sentences.times_worse,
            help=say("Of two classes it is the answer from 1 ÷ (1 + times) on. *Term:* cost-sensitive decision."),
        )  # fmt: skip


def draw_shares(dataset: Dataset) -> None:
    """Draw threshold and prevalence, each of which may be left empty, where decisions are about a class."""
    for share in SHARES if code_of(dataset) is not None else ():
        share.draw(format="%g")


def code_of(dataset: Dataset) -> int | None:
    """The class that decisions are about: the one worse to miss, else the one that counts."""
    chosen = st.session_state[COSTLY.key]
    return dataset.classes.index(chosen) if chosen in dataset.classes else dataset.target.positive


def decision(dataset: Dataset) -> Decision:
    """The decision that the control stands for."""
    code, times = code_of(dataset), float(st.session_state[TIMES.key]) if st.session_state[COSTLY.key] else 1.0
    shares = [None if share.value is None else share.value / 100 for share in SHARES]
    return Decision() if code is None else Decision(code, times, *shares)
