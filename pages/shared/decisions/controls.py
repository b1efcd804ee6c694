"""The one control of what errors cost: a class, how many times worse missing it is, threshold and prevalence.

The class and the factor are those that trees on the page Tree grow by, under the same names in the address.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.decisions.decision import Decision
from espalier.language import Texts, say
from espalier.learners.catalogue.settings import COSTLY, TIMES
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import decimal
from pages.shared.canvas.slider import slider
from pages.shared.models import settings
from pages.shared.models.drawer import pick
from pages.shared.models.tree_settings import steps

CONTROLS = Texts(
    {
        "costly": (
            "Which error is worse?",
            "Taking a row of this class for another one costs more than any other error: say, to miss an ill "
            "patient. It is the same setting on every page. Trees on the page *Tree* grow by it; here models "
            "stay as they are, and their answers follow it.",
        ),
        "times": (
            "How many times worse",
            "Of two classes, the class is then the answer from a share of 1 ÷ (1 + times) on, which costs least "
            "if shares are true. *Term:* cost-sensitive decision.",
        ),
        "threshold": (
            "Answer it from a share of (percent)",
            "Empty: the share that the costs ask for. The curve of costs shows what another one would bring. "
            "*Term:* decision threshold.",
        ),
        "prevalence": (
            "How frequent it will be (percent)",
            "Empty: as in this table. Where a table has as many ill as healthy rows but one patient in a hundred "
            "is ill, write 1: shares, precision and costs are corrected for that. It assumes that ill patients "
            "there are like the ill ones here. *Term:* prevalence.",
        ),
    }
)

COSTS = {"threshold": (1.0, 99.0), "prevalence": (0.1, 99.9)}  # per cent, from and to


def url_entries(dataset: Dataset) -> list[Entry]:
    """The control as parts of the address; a number has none."""
    if not dataset.is_classification:
        return []
    target = dataset.target
    return [
        Entry(COSTLY.key, COSTLY.default, settings.reader(COSTLY, target)),
        Entry(TIMES.key, TIMES.default, settings.reader(TIMES, target)),
        *(Entry(key, None, _optional(decimal(*ends))) for key, ends in COSTS.items()),
    ]


def _optional(read: Callable[[str], float]) -> Callable[[str], float | None]:
    return lambda text: None if text == "none" else read(text)


def draw(dataset: Dataset) -> None:
    """Draw the control."""
    if not dataset.is_classification:
        return
    st.markdown(f"**{say('What errors cost')}**")
    draw_costs(dataset)
    if code_of(dataset) is not None:
        with st.expander(say("Threshold and prevalence")):
            draw_shares()


def draw_costs(dataset: Dataset) -> None:
    """Draw the class that is worse to miss, and how much, for data of classes."""
    _drop_invalid(dataset)
    names = {"": say("all errors are alike")} | {name: name for name in dataset.classes}
    pick(CONTROLS, COSTLY.key, st.selectbox, options=list(names), format_func=names.get)
    if st.session_state[COSTLY.key]:
        pick(
            CONTROLS,
            TIMES.key,
            slider,
            options=steps(TIMES),
            default=TIMES.default,
            format_func=app_sentences.times_worse,
        )


def draw_shares() -> None:
    """Draw the threshold and the prevalence, each of which may be left empty."""
    for key, empty in (("threshold", say("as the costs ask for")), ("prevalence", say("as in this table"))):
        (label, words), (low, high) = CONTROLS[key], COSTS[key]
        st.number_input(label, low, high, value=None, key=key, help=words, placeholder=empty, format="%g")


def _drop_invalid(dataset: Dataset) -> None:
    if st.session_state[COSTLY.key] not in ("", *dataset.classes):
        st.session_state[COSTLY.key] = ""


def code_of(dataset: Dataset) -> int | None:
    """The class that decisions are about: the one worse to miss, else the one that counts."""
    chosen = st.session_state[COSTLY.key]
    return dataset.classes.index(chosen) if chosen in dataset.classes else dataset.target.positive


def decision(dataset: Dataset) -> Decision:
    """The decision that the control stands for."""
    times = float(st.session_state[TIMES.key]) if st.session_state[COSTLY.key] else 1.0
    shares = {key: None if st.session_state[key] is None else st.session_state[key] / 100 for key in COSTS}
    code = code_of(dataset)
    return Decision() if code is None else Decision(code, times, **shares)
