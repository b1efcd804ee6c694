"""The ways of growing a tree that the page offers: one record each, which of them is in use, its controls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import streamlit as st

from espalier.data import Dataset
from espalier.data.dataset import Feature
from espalier.language import say
from espalier.learners.catalogue import Model, Setting
from pages.shared.app import address
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import one_of
from pages.shared.models import common, cultivated, model_tree, oblique, optimal, rail
from pages.shared.models.common import CART
from pages.shared.models.cultivated import CULTIVATED
from pages.shared.models.forest import FOREST, LearnerControls
from pages.shared.models.forest import NAME as FOREST_NAME
from pages.shared.models.model_tree import MODEL_TREE
from pages.shared.models.oblique import OBLIQUE
from pages.shared.models.optimal import OPTIMAL

__all__ = [
    "LEARNERS",
    "LearnerControls",
    "can_predict",
    "chosen",
    "draw",
    "model",
    "model_of",
    "named",
    "offer_others",
    "url_entries",
]  # fmt: skip

GROWN = {"cart": CART, "cultivated": CULTIVATED, "optimal": OPTIMAL}  # on the page
GROWN |= {"model-tree": MODEL_TREE, "oblique": OBLIQUE}
LEARNERS = GROWN | {FOREST_NAME: FOREST}  # by what the address says; a forest's trees are opened from its own page
SETTINGS = {
    one.name: one for one in (module.SETTINGS for module in (common, cultivated, optimal, model_tree, oblique))
}
DEFAULT = "cart"


def named(name: str) -> LearnerControls:
    """The learner of this name in the address."""
    return LEARNERS[name]


def chosen() -> LearnerControls:
    """The learner in use."""
    return LEARNERS[st.session_state["learner"] or DEFAULT]  # a control that just goes may have no value


def can_predict(dataset: Dataset) -> bool:
    """Whether the learner in use grows trees for targets of this kind."""
    return dataset.is_classification in chosen().serves


def offer_others(dataset: Dataset) -> None:
    """Say that the learner in use is not for targets of this kind, and offer those that are."""
    st.info(_target_note(chosen().title(), plain(dataset.target.name), dataset.is_classification))
    with st.container(horizontal=True):
        for name, learner in GROWN.items():
            if dataset.is_classification in learner.serves:
                st.button(
                    say("Grow a tree with {learner}", learner=learner.title()),
                    on_click=callback(_choose),
                    args=(name,),
                    help=learner.words(),
                )


def _choose(name: str) -> None:
    st.session_state["learner"] = name


def url_entries(target: Feature) -> list[Entry]:
    """The choice, and the controls of all learners: one that is left keeps its settings until one is back.

    A forest has so many that they are there only where a tree of it is in question.
    """
    return list(_entries(_may_be_of_a_forest(), target))


@lru_cache(maxsize=64)
def _entries(is_of_forest: bool, target: Feature) -> tuple[Entry, ...]:
    there = LEARNERS if is_of_forest else GROWN
    every = [entry for learner in there.values() for entry in learner.entries(target)]
    unique = {entry.key: entry for entry in every}
    return Entry("learner", DEFAULT, one_of(LEARNERS), name="model"), *rail.held_out_entries(), *unique.values()


def _may_be_of_a_forest() -> bool:
    """Whether the page shows a tree of a forest, or the address asks for one under whatever name."""
    return FOREST_NAME in (st.session_state.get("learner"), *st.query_params.to_dict().values())


def draw(dataset: Dataset) -> None:
    """The choice of the learner, and its controls."""
    offered = LEARNERS if chosen() is FOREST else GROWN
    titles = {name: learner.title() for name, learner in offered.items()}
    meanings = app_sentences.list_of_kinds((learner.title(), learner.words()) for learner in GROWN.values())
    rail.pick(
        {"learner": (say("How the tree is grown"), meanings)},
        "learner",
        st.segmented_control,
        options=list(titles),
        format_func=titles.get,
        required=True,
        width="stretch",
        on_change=callback(_carry_depth),
        args=(dataset.target,),
    )
    st.caption(chosen().words())
    _drop_invalid(dataset.target)
    if not can_predict(dataset):
        return
    chosen().draw(dataset.target, rail.holdout().n_left(len(dataset.y)))


def _carry_depth(target: Feature) -> None:
    """Give the learner that is chosen the depth of the one before (a callback), where one of them was set."""
    names = address.last("learner", DEFAULT), st.session_state["learner"]
    if not all(name in SETTINGS for name in names):
        return
    (before, old), (key, new) = (depth_of(name, target) for name in names)
    was, now = address.last(before, old.default), address.last(key, new.default)
    is_set = was != old.default or now != new.default
    if is_set and (was is not None or new.no_number):
        st.session_state[key] = was if was is None else min(was, int(new.high))


def depth_of(name: str, target: Feature) -> tuple[str, Setting]:
    """The key of a learner's depth in the session state, and its setting."""
    key = SETTINGS[name].keys.get("depth", "depth")
    return key, SETTINGS[name].of(target)[key]


def _drop_invalid(target: Feature) -> None:
    """Another target came: words that it does not have give way, also those of learners that are not in use."""
    in_use = SETTINGS.get(st.session_state["learner"])
    for settings in SETTINGS.values():
        if settings is not in_use:
            settings.drop_invalid(target, but=() if in_use is None else in_use.of(target))


def model_of(name: str, target: Feature, values: Mapping[str, Any]) -> Model:
    """The model of a learner with these values by key, whatever the controls stand for."""
    return SETTINGS[name].model(target, values)


def model(target: Feature) -> Model:
    """The model that the controls stand for."""
    return chosen().model(target)


def _target_note(learner: str, target: str, is_classification: bool) -> str:
    """Note that a learner does not serve the target; the target's name is Markdown."""
    kind, others = (say("a class"), say("numbers")) if is_classification else (say("a number"), say("classes"))
    return say(
        "**{learner} trees are for {others}**, and the target of these data, {target}, is {kind}. Grow another "
        "kind of tree, or choose other data.",
        learner=learner,
        others=others,
        target=target,
        kind=kind,
    )
