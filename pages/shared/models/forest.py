"""One tree of a forest, looked at as any other: which of them. Its forest is set on the page of forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import Texts, say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import COSTLY, MOST_TREES
from pages.shared.app import address
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of, whole
from pages.shared.models import forests, rail
from pages.shared.models.forests import SIDES
from pages.shared.models.rail import pick


class LearnerControls(NamedTuple):
    """A way of growing a tree: its description, its controls, and its estimators.

    `entries` and `model` take the target, `draw` also the number of rows that the tree is grown on, and
    `why_no_split` only that number.
    """

    title: Callable[[], str]
    words: Callable[[], str]  # the special thing about its trees, in a line
    entries: Callable[[Feature], list[Entry]]  # the controls, as parts of the address
    draw: Callable[[Feature, int], None]  # the controls, on the page
    model: Callable[[Feature], Model]  # that the controls stand for
    serves: tuple[bool, ...]  # True: classes; False: numbers
    why_no_split: Callable[[int], str | None]  # the reason for a lone root, if a control is it
    long: int  # values of the features from which on growing may take more than a second
    stage: str  # of `espalier.kernels.compile_all`, which must be compiled before it grows
    uncompiled: bool = False  # whether small tables need not wait for the engine to be compiled
    has_presets: bool = False  # whether one control says what all others stand for together
    is_searched: bool = False  # for the best tree, so that there is one to see meanwhile; others grow row by row

    def has_costs(self, target: Feature) -> bool:
        """Whether costs of errors are settings of it, for this target."""
        return COSTLY.key in [entry.key for entry in self.entries(target)]


# ---- one tree of a forest, looked at as any other: which of them. Its forest is set on the page of forests

TREE_NUMBER = Texts(
    {
        "number": (
            "Number of the tree",
            "Trees are counted from 1, in the order of their seeds. Where each drew rows of its own, those it "
            "did not draw count as held out here.",
        )
    }
)

NAME = "forest"  # in the address


def url_entries(_target: Feature) -> list[Entry]:
    """The forest and the number of the tree; the forests' own controls are those of their page."""
    return [
        Entry("side", SIDES[0], one_of(SIDES)),
        Entry("number", 1, whole(1, MOST_TREES)),
        *forests.url_entries(),
    ]


def draw(target: Feature, _n_rows: int) -> None:
    """Draw the number of the tree, its forest in short, and the way back."""
    side = st.session_state["side"]
    whole_forest = forests.model(side, target)
    most = whole_forest.n_trees or MOST_TREES
    st.session_state["number"] = min(st.session_state["number"], most)
    pick(TREE_NUMBER, "number", st.number_input, min_value=1, max_value=most)
    st.caption(say("Of forest {title}: {model}.", title=forests.title(side), model=forests.short(whole_forest)))
    back = address.texts([*forests.url_entries(), *rail.held_out_entries()])
    st.page_link(
        "pages/forests.py", label=say("Back to the forests"), icon=":material/forest:", query_params=_here() | back
    )
    rail.pick_held()
    rail.pick_seed()


def _here() -> dict[str, str]:
    """The data set of the address, and the tab that trees are opened from."""
    return {"tab": "Trees"} | {key: value for key, value in st.query_params.to_dict().items() if key == "data"}


def model(target: Feature) -> Model:
    """The forest that the tree is of."""
    return forests.model(st.session_state["side"], target)


def why_no_split(_n_rows: int) -> str | None:
    """Return the reason why a tree is a lone root; the rows drawn may be another."""
    return say("no split of the rows that it drew was worth while within the forest's limits")


FOREST = LearnerControls(
    title=lambda: say("Of a forest"),
    words=lambda: say("One tree of a forest: grown on rows drawn for it."),
    entries=url_entries,
    draw=draw,
    model=model,
    serves=(True, False),
    why_no_split=why_no_split,
    long=0,
    stage="forest",
)
