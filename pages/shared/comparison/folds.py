"""The models to compare, and how the rows are dealt into folds: the controls, as parts of the address."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.folds import Folds, most_folds, plan_for
from espalier.language import Texts, say, to_say
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import whole
from pages.shared.canvas.slider import slider
from pages.shared.models import slots
from pages.shared.models.drawer import BIG, pick
from pages.shared.models.slots import Places, SlotModel
from pages.shared.own_models import uploads

FOLD_HELP = Texts(
    {
        "folds": (
            "Folds",
            "The rows are dealt into so many parts; each model learns from all but one, is tested on that one, "
            "and so on in turn. All models have the same folds. *Term:* k-fold cross-validation, stratified.",
        ),
        "repeats": (
            "Repeats",
            "How often the rows are dealt anew: steadier means, but from the same rows, so there is a limit to "
            "what repeats can show. *Term:* repeated cross-validation.",
        ),
        "deal": ("Seed of the folds", "Another number deals the rows otherwise."),
        "limit": (
            "Seconds for a search, at most",
            "A search for the best tree of a fold that takes longer ends with the best tree so far. "
            "*Term:* `time_limit`.",
        ),
    }
)
MORE_FOLDS = to_say("What more folds would change, and how this is tested")
NO_DOUBT = to_say("Nothing here is in doubt: more folds would only make it surer.")
DOTS = to_say("A dot is a fold; beside them mean and 95 % interval.")
DIFFERENCES = to_say("Row minus column. Bold: clear; all else may be noise.")
MEANS = to_say("Mean ± standard deviation over the folds; ↑ more is better, ↓ less.")
ARE_SHARES_TRUE = to_say("When it says 80 %")
CALIBRATION_DOTS = to_say("On the dotted line shares are true. Pale: fewer than 10 rows; bars: 95 % intervals.")
ROC = to_say("The legend has the area under each curve, over the rows of all folds together.")


def dots_heading(score: str) -> str:
    """Heading of the dots; `score` is its name, with an arrow."""
    return say("**Fold by fold: {score}**", score=score)


def calibration_heading(name: str) -> str:
    """Heading of the calibration curves of a class."""
    return say("**Calibration: {name}**", name=name)


def roc_heading(name: str) -> str:
    """Heading of the ROC curves of a class."""
    return say("**ROC: {name}**", name=name)


# ---- the models to compare, and how the rows are dealt into folds: the controls, as parts of the address

COMPARED = Places(
    ("m1", "m2", "m3", "m4"),
    {True: ("cart", "optimal", "random", "baseline"), False: ("cart", "cultivated", "random", "baseline")},
)
MOST_FOLDS, MOST_REPEATS, MOST_SECONDS = 20, 20, 120


def plan_entries() -> list[Entry]:
    """The folds, and the time of a search, as parts of the address."""
    return [
        Entry("folds", 10, whole(2, MOST_FOLDS)),
        Entry("repeats", 1, whole(1, MOST_REPEATS)),
        Entry("deal", 0, whole(0, BIG)),
        Entry("limit", 10, whole(1, MOST_SECONDS), name="seconds"),
    ]


def plan(dataset: Dataset) -> Folds:
    """Assignment of the rows to folds."""
    state = st.session_state
    return plan_for(dataset, Folds(state["folds"], state["repeats"], state["deal"]))


def note_on(dataset: Dataset, n_folds: int) -> str:
    """Why so many folds cannot be made of these data; empty where they can."""
    most, roles = most_folds(len(dataset.y), dataset.roles), dataset.roles
    if n_folds <= most:
        return ""
    names = ["" if one is None else plain(one.name) for one in (roles.groups, roles.times)]
    return _folds_note(n_folds, most, *names)


def draw_plan() -> None:
    """The controls of the folds."""
    pick(FOLD_HELP, "folds", slider, options=range(2, MOST_FOLDS + 1), default=10)
    pick(FOLD_HELP, "repeats", slider, options=range(1, MOST_REPEATS + 1), default=1)
    with st.expander(say("Chance, and time")):
        pick(FOLD_HELP, "deal", st.number_input, min_value=0, max_value=BIG)
        pick(FOLD_HELP, "limit", st.number_input, min_value=1, max_value=MOST_SECONDS)


def draw_own(dataset: Dataset) -> None:
    """The controls of a person's own model, where it stands in one of the places."""
    if slots.has_own(COMPARED):
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset)


def models(dataset: Dataset) -> list[SlotModel]:
    """Models for these data in the places that are not empty."""
    return slots.models(COMPARED, float(st.session_state["limit"]), dataset.target)


def _folds_note(n_folds: int, most: int, group: str, time: str) -> str:
    """Note on more folds than rows, groups or times allow."""
    if time:
        return say(
            "{n_folds} folds need {n_folds_2} different times of {time}; there are {most}: choose fewer.",
            n_folds=n_folds,
            n_folds_2=n_folds + 1,
            time=time,
            most=most + 1,
        )
    unit = say("groups of {group}", group=group) if group else say("rows")
    return say(
        "{n_folds} folds cannot be made of {most} {unit}: choose fewer.", n_folds=n_folds, most=most, unit=unit
    )
