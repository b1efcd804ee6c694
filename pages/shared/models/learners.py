"""The ways of growing a tree that the page offers: one record each, which of them is in use, its controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from espalier.data import Dataset
from espalier.data.dataset import Feature
from espalier.grown import why_not
from espalier.language import say, to_say
from espalier.learners import catalogue, uncompiled
from espalier.learners.catalogue import Model, ModelKind, Setting
from espalier.learners.catalogue.settings import CATEGORIES, COSTLY, MOST_TREES, TIMES
from pages.shared.app import address
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback
from pages.shared.app.links import one_of
from pages.shared.canvas.control import Control
from pages.shared.jobs import compilation
from pages.shared.models import drawer, forests
from pages.shared.models.forests import SIDES
from pages.shared.models.settings import ALPHA, LEARNER, OWN_SETTINGS, SINGLE, TreeSettings


class LearnerControls(NamedTuple):
    """A way of growing a tree: its settings, the order of their controls, and how it is grown."""

    own: TreeSettings
    kind: ModelKind  # title, words, targets and engine of it, as the catalogue has them
    order: tuple[str, ...] = ()  # names of settings, as they stand in the drawer; empty: as in the catalogue
    long: int = 50_000  # values of the features from which on growing may take more than a second
    uncompiled: bool = False  # whether small tables need not wait for the engine to be compiled
    is_searched: bool = False  # for the best tree, so that there is one to see meanwhile; others grow row by row

    def entries(self, target: Feature) -> list[Entry]:
        """The controls, as parts of the address."""
        return self.own.url_entries(target)

    def model(self, target: Feature) -> Model:
        """The model that the controls stand for."""
        return self.own.model(target)

    def draw_first(self, target: Feature, curves: Sequence[Sequence[float]] = ()) -> None:
        """The one control that changes most: how deep, over curves by depth as far as they are known."""
        self.own.pick_depth(target, curves)

    def draw_more(self, target: Feature, n_rows: int) -> None:
        """All other controls, for a tree grown on so many rows."""
        if self is CULTIVATED:
            label = say("What hesitation looks like")
            st.page_link("pages/hesitation.py", label=label, icon=":material/blur_on:")
        usual = [one.key for one in self.kind.settings if one.key not in ("depth", COSTLY.key, TIMES.key)]
        self.own.pick_all(self.order or dict.fromkeys(usual), target, n_rows)
        self.own.pick_costs(target)
        drawer.draw_held_out()

    def can_grow(self, dataset: Dataset) -> bool:
        """Whether it can grow a tree now: while the engine is being compiled, only of a small table."""
        is_ready = compilation.is_ready(self.kind.stage)
        return is_ready or (self.uncompiled and uncompiled.is_small(*dataset.X.shape))

    def has_costs(self, target: Feature) -> bool:
        """Whether costs of errors are settings of it, for this target."""
        return self is not FOREST and COSTLY.key in self.own.of(target)


# ---- one tree of a forest, looked at as any other: which of them. Its forest is set on the page of forests

TREE_NUMBER = Control(
    "number", 1, (1, MOST_TREES), to_say("Number of the tree"),
    to_say("Counted from 1. Rows that it did not draw count as held out here."),
)  # fmt: skip
FOREST_NAME = "forest"  # in the address
TREE_OF_FOREST = catalogue.find_kind("random")._replace(
    name=FOREST_NAME,
    title=to_say("Of a forest"),
    words=to_say("One tree of a forest: grown on rows drawn for it."),
    serves=(True, False),
    stage=FOREST_NAME,
)


class ForestTreeControls(LearnerControls):
    """The same of a tree of a forest."""

    def entries(self, target: Feature) -> list[Entry]:
        """The forest and the number of the tree; the forests' own controls are those of their page."""
        return [Entry("side", SIDES[0], one_of(SIDES)), TREE_NUMBER.entry, *forests.url_entries()]

    def model(self, target: Feature) -> Model:
        """The forest that the tree is of."""
        return forests.model(st.session_state["side"], target)

    def draw_first(self, target: Feature, curves: Sequence[Sequence[float]] = ()) -> None:
        """The number of the tree."""
        most = self.model(target).n_trees or MOST_TREES
        st.session_state["number"] = min(st.session_state["number"], most)
        TREE_NUMBER.draw(max_value=most)

    def draw_more(self, target: Feature, n_rows: int) -> None:
        """Its forest in short, and the way back."""
        title, model = forests.title(st.session_state["side"]), forests.short(self.model(target))
        st.caption(say("Of forest {title}: {model}.", title=title, model=model))
        back = address.texts([*forests.url_entries(), *drawer.held_out_entries()])
        here = {"tab": "Trees"} | {key: text for key, text in st.query_params.to_dict().items() if key == "data"}
        label = say("Back to the forests")
        st.page_link("pages/forests.py", label=label, icon=":material/forest:", query_params=here | back)
        drawer.draw_held_out()


# ---- the learners

CART = LearnerControls(
    TreeSettings("cart", defaults={"depth": 3}), catalogue.find_kind("cart"),
    ("criterion", "leaf", ALPHA, "leaves", "split", "gain", "features", "splitter", "missing", "impute-with",
     "surrogates", CATEGORIES.key, "monotone", "without", "weights", "random"),
    long=2_000_000, uncompiled=True,
)  # fmt: skip
CULTIVATED = LearnerControls(
    TreeSettings("cultivated", keys={"depth": "levels"}), catalogue.find_kind("cultivated"),
    ("hesitates", "k", "eta", "weight", "fraction", "placement", "sharing", "without", ALPHA, "features",
     "weights", "random"),
    long=200_000,
)  # fmt: skip
OPTIMAL = LearnerControls(
    TreeSettings("optimal", {"depth": "height", "leaf": "optimal-leaf", CATEGORIES.key: "optimal-categories"}),
    catalogue.find_kind("optimal"),
    ("cuts", "leaf", "splits", "source", CATEGORIES.key, "monotone", "without", "seconds", "weights", "random"),
    long=0, is_searched=True,
)  # fmt: skip
MODEL_TREE = LearnerControls(
    TreeSettings("model-tree", keys={"depth": "formulas-depth", "leaf": "formulas-leaf"}),
    catalogue.find_kind("model-tree"),
)
FOREST = ForestTreeControls(TreeSettings(FOREST_NAME), TREE_OF_FOREST, long=0)

SPECIAL = {one.own.name: one for one in (CART, CULTIVATED, OPTIMAL, MODEL_TREE)}  # whose controls are unusual
GROWN = {  # on the page: every learner of the catalogue that grows one tree of the table
    name: SPECIAL.get(
        name,
        LearnerControls(
            TreeSettings(name, {key: f"{name}-{key}" for key in OWN_SETTINGS}), catalogue.find_kind(name)
        ),
    )
    for name in SINGLE
}
LEARNERS = GROWN | {FOREST_NAME: FOREST}  # by what the address says; a forest's trees are opened from its own page
SETTINGS = {name: one.own for name, one in GROWN.items()}
DEFAULT = "cart"


def chosen() -> LearnerControls:
    """The learner in use."""
    return LEARNERS[st.session_state[LEARNER] or DEFAULT]  # a control that just goes may have no value


def can_predict(dataset: Dataset) -> bool:
    """Whether the learner in use grows trees for targets of this kind."""
    return dataset.is_classification in chosen().kind.serves


def offer_others(dataset: Dataset) -> None:
    """Say that the learner in use is not for targets of this kind, and offer those that are."""
    st.info(why_not(chosen().model(dataset.target), dataset))
    with st.container(horizontal=True):
        for name, learner in GROWN.items():
            if dataset.is_classification in learner.kind.serves:
                label = say("Grow a tree with {learner}", learner=say(learner.kind.title))
                st.button(
                    label, help=say(learner.kind.words),
                    on_click=callback(lambda name=name: st.session_state.update({LEARNER: name})),
                )  # fmt: skip


def url_entries(target: Feature, has_forest: bool = False) -> list[Entry]:
    """The choice, and the controls of all learners: one that is left keeps its settings until one is back.

    A forest has so many that they are there only where a tree of it is in question.
    """
    there = LEARNERS if has_forest else GROWN
    every = [entry for learner in there.values() for entry in learner.entries(target)]
    unique = {entry.key: entry for entry in every}
    return [Entry(LEARNER, DEFAULT, one_of(LEARNERS), name="model"), *drawer.held_out_entries(), *unique.values()]


def draw_choice(dataset: Dataset, curves: Sequence[Sequence[float]] = ()) -> None:
    """The choice of the learner, and the control that changes its tree most, over these curves."""
    offered = LEARNERS if chosen() is FOREST else GROWN
    titles = {name: say(learner.kind.title) for name, learner in offered.items()}
    st.segmented_control(
        say("How the tree is grown"), list(titles), key=LEARNER, format_func=titles.__getitem__, required=True,
        label_visibility="collapsed", on_change=callback(_carry_depth), args=(dataset.target,),
    )  # fmt: skip
    if can_predict(dataset):
        with st.container(width=320):
            chosen().draw_first(dataset.target, curves)


def drop_invalid(target: Feature) -> None:
    """Another target came: words that it does not have give way, also those of learners that are not in use."""
    in_use = SETTINGS.get(st.session_state[LEARNER])
    for own in SETTINGS.values():
        own.drop_invalid(target, but=() if in_use is None or own is in_use else in_use.of(target))


def draw_more(dataset: Dataset) -> None:
    """All other controls of the learner in use."""
    if can_predict(dataset):
        kinds = [learner.kind for learner in GROWN.values()]
        meanings = app_sentences.list_of_kinds((say(kind.title), say(kind.words)) for kind in kinds)
        st.caption(say(chosen().kind.words), help=meanings)
        chosen().draw_more(dataset.target, drawer.holdout().n_left(len(dataset.y)))


def _carry_depth(target: Feature) -> None:
    """Give the learner that is chosen the depth of the one before (a callback), where one of them was set."""
    names = address.last(LEARNER, DEFAULT), st.session_state[LEARNER]
    if not all(name in SETTINGS for name in names):
        return
    (before, old), (key, new) = (depth_of(name, target) for name in names)
    was, now = address.last(before, old.default), address.last(key, new.default)
    is_set = was != old.default or now != new.default
    if is_set and (was is not None or new.no_number):
        st.session_state[key] = was if was is None else min(was, int(new.high))


def depth_of(name: str, target: Feature) -> tuple[str, Setting]:
    """The key of a learner's depth in the session state, and its setting."""
    key = SETTINGS[name].key_of("depth")
    return key, SETTINGS[name].of(target)[key]
