"""The ways of growing a tree that the page offers: one record each, which of them is in use, its controls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import streamlit as st

from espalier.data import Dataset
from espalier.data.dataset import Feature
from espalier.language import Texts, in_style, say, to_say
from espalier.learners import catalogue
from espalier.learners.catalogue import Model, ModelKind, Setting
from espalier.learners.catalogue.estimators import hesitation_of
from espalier.learners.catalogue.settings import CATEGORIES, COSTLY, HESITATES, MOST_TREES
from espalier.learners.cultivated import PRESETS
from pages.shared.app import address
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import one_of, whole
from pages.shared.models import drawer, forests
from pages.shared.models.forests import SIDES
from pages.shared.models.tree_settings import ALPHA, LEARNER, TreeSettings


class LearnerControls(NamedTuple):
    """A way of growing a tree: its settings, the order of their controls, and how it is grown."""

    own: TreeSettings
    order: tuple[str, ...]  # names of settings in the catalogue, as they stand in the drawer
    why_no_split: Callable[[int], str | None]  # of so many rows: the reason for a lone root, if a control is it
    long: int  # values of the features from which on growing may take more than a second
    uncompiled: bool = False  # whether small tables need not wait for the engine to be compiled
    has_presets: bool = False  # whether one control says what all others stand for together
    is_searched: bool = False  # for the best tree, so that there is one to see meanwhile; others grow row by row

    @property
    def kind(self) -> ModelKind:
        """Title, words, targets and engine of it, as the catalogue has them."""
        return catalogue.find_kind(self.own.name)

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
        if self.has_presets:
            _pick_preset()
            label = say("What hesitation looks like")
            st.page_link("pages/hesitation.py", label=label, icon=":material/blur_on:")
        self.own.pick_all(self.order, target, n_rows)
        if self.own.name == "optimal" and _has_one_against_all(target):
            st.caption(say("Beside monotone columns, a split parts one category from all others."))
        self.own.pick_costs(target)
        drawer.draw_held_out()

    def has_costs(self, target: Feature) -> bool:
        """Whether costs of errors are settings of it, for this target."""
        return self is not FOREST and COSTLY.key in self.own.of(target)


# ---- why a tree is a lone root


def _why_greedy(n_rows: int, leaf: str) -> str | None:
    state = st.session_state
    if state["split"] > n_rows:
        return app_sentences.too_few_rows(n_rows, state["split"])
    if 2 * state[leaf] > n_rows:
        return app_sentences.too_few_for_leaves(n_rows, state[leaf])
    return say(app_sentences.LONE_BY_PRICE) if state[ALPHA] > 0 or state["gain"] > 0 else None


def _why_cultivated(n_rows: int) -> str | None:
    state = st.session_state
    if state["weight"] > n_rows:
        return say(
            "it was grown on {n_rows} rows, less than the weight of {weight} that a split needs",
            n_rows=n_rows,
            weight=in_style(f"{state['weight']:g}"),
        )
    return say("no split is worth its price; lower pruning α") if state[ALPHA] > 0 else None


def _why_formulas(n_rows: int) -> str:
    least = st.session_state["formulas-leaf"] or 1
    return (
        say("{n_rows} rows do not make two leaves of {least} rows each", n_rows=n_rows, least=least)
        if 2 * least > n_rows
        else say("one formula for all rows is as good as any split by the information criterion")
    )


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
FOREST_NAME = "forest"  # in the address
NO_WORTHY_SPLIT = to_say("no split of the rows that it drew was worth while within the forest's limits")
TREE_OF_FOREST = catalogue.find_kind("random")._replace(
    name=FOREST_NAME,
    title=to_say("Of a forest"),
    words=to_say("One tree of a forest: grown on rows drawn for it."),
    serves=(True, False),
    stage=FOREST_NAME,
)


class ForestTreeControls(LearnerControls):
    """The same of a tree of a forest."""

    @property
    def kind(self) -> ModelKind:
        """A choice of its own."""
        return TREE_OF_FOREST

    def entries(self, target: Feature) -> list[Entry]:
        """The forest and the number of the tree; the forests' own controls are those of their page."""
        side, number = Entry("side", SIDES[0], one_of(SIDES)), Entry("number", 1, whole(1, MOST_TREES))
        return [side, number, *forests.url_entries()]

    def model(self, target: Feature) -> Model:
        """The forest that the tree is of."""
        return forests.model(st.session_state["side"], target)

    def draw_first(self, target: Feature, curves: Sequence[Sequence[float]] = ()) -> None:
        """The number of the tree."""
        most = self.model(target).n_trees or MOST_TREES
        st.session_state["number"] = min(st.session_state["number"], most)
        drawer.pick(TREE_NUMBER, "number", st.number_input, min_value=1, max_value=most)

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
    TreeSettings("cart", defaults={"depth": 3}),
    ("criterion", "leaf", ALPHA, "leaves", "split", "gain", "features", "splitter", "missing", "impute-with",
     "surrogates", CATEGORIES.key, "monotone", "without", "weights", "random"),
    partial(_why_greedy, leaf="leaf"), long=2_000_000, uncompiled=True,
)  # fmt: skip
CULTIVATED = LearnerControls(
    TreeSettings("cultivated", keys={"depth": "levels"}),
    ("hesitates", "k", "eta", "weight", "fraction", "placement", "sharing", "without", ALPHA, "features",
     "weights", "random"),
    _why_cultivated, long=200_000, has_presets=True,
)  # fmt: skip
OPTIMAL = LearnerControls(
    TreeSettings("optimal", {"depth": "height", "leaf": "optimal-leaf", CATEGORIES.key: "optimal-categories"}),
    ("cuts", "leaf", "splits", "source", CATEGORIES.key, "monotone", "without", "seconds", "weights", "random"),
    lambda _: say("no tree of this size over these questions is better than no question at all"),
    long=0, is_searched=True,
)  # fmt: skip
MODEL_TREE = LearnerControls(
    TreeSettings("model-tree", keys={"depth": "formulas-depth", "leaf": "formulas-leaf"}),
    ("leaf", "shrinkage", "without", "weights"),
    _why_formulas, long=50_000,
)  # fmt: skip
OBLIQUE = LearnerControls(
    TreeSettings("oblique", keys={"depth": "oblique-depth", "leaf": "oblique-leaf"}),
    ("terms", "leaf", "purity", "split", "gain", ALPHA, "without", "weights"),
    partial(_why_greedy, leaf="oblique-leaf"), long=50_000,
)  # fmt: skip
FOREST = ForestTreeControls(TreeSettings(FOREST_NAME), (), lambda _: say(NO_WORTHY_SPLIT), long=0)

GROWN = {one.own.name: one for one in (CART, CULTIVATED, OPTIMAL, MODEL_TREE, OBLIQUE)}  # on the page
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
    is_classification = dataset.is_classification
    kind, others = (say("a class"), say("numbers")) if is_classification else (say("a number"), say("classes"))
    st.info(
        say(
            "**{learner} trees are for {others}**, and the target of these data, {target}, is {kind}. Grow "
            "another kind of tree, or choose other data.",
            learner=say(chosen().kind.title),
            others=others,
            target=plain(dataset.target.name),
            kind=kind,
        )
    )
    with st.container(horizontal=True):
        for name, learner in GROWN.items():
            if is_classification in learner.kind.serves:
                label = say("Grow a tree with {learner}", learner=say(learner.kind.title))
                st.button(
                    label, help=say(learner.kind.words),
                    on_click=callback(lambda name=name: st.session_state.update({LEARNER: name})),
                )  # fmt: skip


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
    return Entry(LEARNER, DEFAULT, one_of(LEARNERS), name="model"), *drawer.held_out_entries(), *unique.values()


def _may_be_of_a_forest() -> bool:
    """Whether the page shows a tree of a forest, or the address asks for one under whatever name."""
    return FOREST_NAME in (st.session_state.get(LEARNER), *st.query_params.to_dict().values())


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


def _has_one_against_all(target: Feature) -> bool:
    """Whether categories are parted one against all others, beside monotone columns, without a choice."""
    key, own = OPTIMAL.own.key_of(CATEGORIES.key), OPTIMAL.own
    return drawer.has_categories() and key in own.of(target) and not own.has_effect(key, target)


# ---- cultivated trees as in the paper: one control that sets the others

PRESET_LABELS = Texts(
    {
        "CRF-full": "CRF-full: both",
        "CRF-split": "CRF-split: thresholds only",
        "CRF-option": "CRF-option: features only",
        "CRF-shallow": "CRF-shallow: both, 6 deep",
    }
)
PRESET_WORDS = to_say(
    "Sets the controls below to one of the four versions of Nalenz & Augustin (2021): with splits that hesitate "
    "about columns and thresholds, or about one of them; the shallow one has a depth of 6."
)
PICKER = "preset-picker"  # key of the widget; the values that it sets stand in the address
PAPER: dict[str, Any] = {"hesitates": "both", "k": "sqrt", "eta": 0.3, "levels": 14, "weight": 6.0}


def _preset_settings(preset: str) -> dict[str, Any]:
    """Values of the preset, by the controls' keys; chance and the controls under "More ways" stay."""
    changes: dict[str, Any] = PRESETS[preset]
    full = hesitation_of("both")
    meant = full | {name: value for name, value in changes.items() if name in full}
    hesitates = next(word for word, _ in HESITATES.options if hesitation_of(word) == meant)
    return PAPER | {"hesitates": hesitates, "levels": changes.get("max_depth", PAPER["levels"])}


def _pick_preset() -> None:
    state = st.session_state
    presets = {preset: _preset_settings(preset) for preset in PRESET_LABELS}
    state[PICKER] = next((p for p, there in presets.items() if all(state[k] == v for k, v in there.items())), None)
    st.selectbox(
        say("As in the paper"), list(presets), key=PICKER, help=say(PRESET_WORDS), format_func=PRESET_LABELS.get,
        on_change=callback(_take_preset), placeholder=say("a mix of your own"),
    )  # fmt: skip


def _take_preset() -> None:
    preset = st.session_state[PICKER]
    if preset is not None:
        st.session_state.update(_preset_settings(preset))
