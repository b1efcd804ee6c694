"""The left rail's controls for growing a tree: plain words, with the field's own term in the help text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from core.data import Dataset, samples
from pages.shared import address, library
from pages.shared.address import Entry, decimal, one_of, whole

PICKER = "data picker"  # key of the widget; the address itself is the library's

MAX_DEPTH = 20
DEPTHS = [*range(1, MAX_DEPTH + 1), None]
BIG = 1_000_000

CRITERIA = {
    True: {"gini": "Gini impurity", "entropy": "Entropy", "misclassification": "Misclassification"},
    False: {"squared": "Squared error", "absolute": "Absolute error"},
}
CRITERION_NAMES = {"squared": "squared_error", "absolute": "absolute_error"}  # where the learner's differs
FEATURES = {
    "all": "All features",
    "sqrt": "√ of their number, at random",
    "log2": "log₂ of their number, at random",
    "half": "Half of them, at random",
    "one": "One at random",
}
MAX_FEATURES: dict[str, Any] = {"all": None, "half": 0.5, "one": 1}
SPLITTERS = {"best": "The best one", "random": "One drawn at random per feature"}
WEIGHTS = {"none": "Every row counts the same", "balanced": "Every class counts the same"}


class Help(NamedTuple):
    """Label of a control and what it means."""

    label: str
    text: str


HELP = {
    "held": Help(
        "Rows held out for testing",
        "These rows are not used to grow the tree; they show how well it does on rows it has not seen. "
        "*Term:* hold-out or test set. Classes keep their shares, and a number its spread.",
    ),
    "seed": Help("Seed of the held-out rows", "Another number holds other rows out."),
    "depth": Help(
        "Depth, at most",
        "How many questions may follow each other from the root to a leaf. *Term:* `max_depth`; the root "
        "has depth 0.",
    ),
    "criterion": Help(
        "What a good split reduces",
        "The impurity *i(t)* of a node *t*, with *p(k|t)* the share of class *k*: Gini 1 − Σ p², entropy "
        "−Σ p log₂ p, misclassification 1 − max p. For a number: the mean squared distance from the mean, or "
        "the mean absolute distance from the median. *Term:* `criterion`.",
    ),
    "leaf": Help(
        "Rows in a leaf, at least",
        "A split that would leave a side with fewer rows is not considered. *Term:* `min_samples_leaf`.",
    ),
    "alpha": Help(
        "Pruning α",
        "The price of a leaf: branches that lower the training error by less than α per leaf are cut off "
        "again. *Term:* minimal cost-complexity pruning, `ccp_alpha`; *R_α(T) = R(T) + α·leaves(T)*.",
    ),
    "leaves": Help(
        "Leaves, at most",
        "The tree then grows where the impurity falls most, instead of level by level. *Term:* `max_leaf_nodes`.",
    ),
    "split": Help(
        "Rows to split, at least", "A node with fewer rows becomes a leaf. *Term:* `min_samples_split`."
    ),
    "gain": Help(
        "Decrease of impurity, at least",
        "How much a split must lower the impurity, *n(t)/n · Δi(t)*. *Term:* `min_impurity_decrease`.",
    ),
    "features": Help(
        "Features tried at each split",
        "Random forests try a random few, so that their trees differ. *Term:* `max_features`.",
    ),
    "splitter": Help(
        "Threshold of each feature", "*Term:* `splitter`. Random thresholds make extremely random trees."
    ),
    "weights": Help(
        "Weight of the classes",
        "Balanced: a rare class weighs as much as a frequent one. *Term:* `class_weight`.",
    ),
    "random": Help("Seed of the tree", "Of random features, thresholds and ties. *Term:* `random_state`."),
}


def held_out_entries() -> list[Entry]:
    """The controls of `draw_held_out` as parts of the address."""
    return [Entry("held", 30, whole(0, 80)), Entry("seed", 0, whole(0, BIG))]


def entries(classification: bool) -> list[Entry]:
    """The controls as parts of the address."""
    criteria = CRITERIA[classification]
    return [
        *held_out_entries(),
        Entry("depth", 3, whole(1, MAX_DEPTH, optional=True)),
        Entry("criterion", next(iter(criteria)), one_of(criteria)),
        Entry("leaf", 1, whole(1, BIG)),
        Entry("alpha", 0.0, decimal(0, 1e12)),
        Entry("leaves", None, whole(2, BIG, optional=True)),
        Entry("split", 2, whole(2, BIG)),
        Entry("gain", 0.0, decimal(0, 1e12)),
        Entry("features", "all", one_of(FEATURES)),
        Entry("splitter", "best", one_of(SPLITTERS)),
        Entry("weights", "none", one_of(WEIGHTS)),
        Entry("random", 0, whole(0, BIG)),
    ]


def pick_data(dataset: Dataset, page: str, selected: list[Entry]) -> None:
    """The choice of the data set, among the samples and the session's own tables, and the way to more.

    `selected` are the entries that mean nothing for other data: a change lets go of them.
    """
    own = st.session_state.get(library.TITLES, {})
    titles = {name: samples.card(name).title for name in samples.names()} | own
    key = library.key_of(dataset)
    st.session_state[PICKER] = key
    st.selectbox(
        "Data",
        list(titles | {key: dataset.name}),
        key=PICKER,
        format_func=lambda name: titles.get(name, dataset.name),
        on_change=_take_data,
        args=(page, selected),
    )
    st.page_link("pages/data.py", label="Open your own table", icon=":material/upload_file:")


def undo_and_reset(page: str, everything: list[Entry]) -> None:
    """Buttons that take back the last change of a control, or all of them."""
    with st.container(horizontal=True, key="undo and reset"):
        st.button(
            "Undo",
            icon=":material/undo:",
            on_click=address.undo,
            args=(page,),
            disabled=not address.can_undo(page),
            help="Takes the last change of a control back, like your browser's Back button.",
            width="stretch",
        )
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            on_click=address.reset,
            args=(page, everything),
            help="Every control as at first; the data stay.",
            width="stretch",
        )


def _take_data(page: str, selected: list[Entry]) -> None:
    key = st.session_state[PICKER]
    if library.find(key) is not None:
        st.session_state[library.CHOSEN] = key
        address.rewrite(page, selected, **{library.PARAMETER: key})


def draw(classification: bool) -> None:
    """The controls; their values stand in the session state under the keys of `entries`."""
    _fit_criterion(classification)
    _pick("depth", st.select_slider, options=DEPTHS, format_func=lambda d: "no limit" if d is None else str(d))
    _pick(
        "criterion",
        st.selectbox,
        options=list(CRITERIA[classification]),
        format_func=CRITERIA[classification].get,
    )
    _pick("leaf", st.number_input, min_value=1, max_value=BIG)
    _pick("alpha", st.number_input, min_value=0.0, step=0.005, format="%g")
    _pick_held()
    with st.expander("More ways to stop, and chance"):
        _pick("leaves", st.number_input, min_value=2, max_value=BIG, value=None, placeholder="no limit")
        _pick("split", st.number_input, min_value=2, max_value=BIG)
        _pick("gain", st.number_input, min_value=0.0, step=0.005, format="%g")
        _pick("features", st.selectbox, options=list(FEATURES), format_func=FEATURES.get)
        _pick("splitter", st.selectbox, options=list(SPLITTERS), format_func=SPLITTERS.get)
        if classification:
            _pick("weights", st.selectbox, options=list(WEIGHTS), format_func=WEIGHTS.get)
        _pick("random", st.number_input, min_value=0, max_value=BIG)
        _pick_seed()


def draw_held_out() -> None:
    """Share and seed of the rows kept for testing, as the rail has them, for a page without it."""
    _pick_held()
    _pick_seed()


def _pick_held() -> None:
    _pick("held", st.slider, min_value=0, max_value=80, step=5, format="%d %%")


def _pick_seed() -> None:
    _pick("seed", st.number_input, min_value=0, max_value=BIG)


def parameters(classification: bool) -> tuple[tuple[str, Any], ...]:
    """The learner's parameters that the controls stand for, as a hashable key of caches."""
    state = st.session_state
    chosen = {
        "criterion": CRITERION_NAMES.get(state["criterion"], state["criterion"]),
        "splitter": state["splitter"],
        "max_depth": state["depth"],
        "min_samples_split": state["split"],
        "min_samples_leaf": state["leaf"],
        "max_features": MAX_FEATURES.get(state["features"], state["features"]),
        "max_leaf_nodes": state["leaves"],
        "min_impurity_decrease": float(state["gain"]),
        "ccp_alpha": float(state["alpha"]),
        "random_state": state["random"],
    }
    if classification:
        chosen["class_weight"] = "balanced" if state["weights"] == "balanced" else None
    return tuple(chosen.items())


def _pick(key: str, widget: Callable[..., Any], **options: Any) -> None:
    words = HELP[key]
    widget(words.label, key=key, help=words.text, **options)


def _fit_criterion(classification: bool) -> None:
    """Another kind of target came: its first criterion stands in for one that it does not have."""
    criteria = CRITERIA[classification]
    if st.session_state["criterion"] not in criteria:
        st.session_state["criterion"] = next(iter(criteria))
