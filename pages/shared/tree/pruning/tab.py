"""The tab "Pruning": the rule, a slider along the sequence of subtrees, and error against size."""

from __future__ import annotations

import streamlit as st

from espalier.views.spreadsheet import to_csv
from espalier.views.tree import pruning_curve
from espalier.views.tree.pruning_curve import PruningCurve
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark
from pages.shared.canvas.slider import slider
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.tree.pruning import choice
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import pruning as words

SLIDER = "pruning-slider"  # key of the widget


def line(whole: GrownTree, shown: GrownTree) -> None:
    """Above the tree: that it is pruned, and the way back; how far a rule is that is still to choose."""
    with st.container():  # there even without a line: what is below keeps its place, and so its zoom and focus
        if choice.is_offered(whole) and st.session_state[choice.RULE] != choice.WHOLE:
            _line(whole, shown)


def _line(whole: GrownTree, shown: GrownTree) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="pruned"):
        st.markdown(f":material/content_cut: {_summary(whole, shown)}", width="stretch")
        st.button(words.BACK, icon=":material/undo:", on_click=callback(_take_rule), args=(choice.WHOLE,))
    if choice.needs_folds():
        _how_far(whole)


def _summary(whole: GrownTree, shown: GrownTree) -> str:
    rule = st.session_state[choice.RULE]
    if rule == choice.REDUCED and not whole.held.any():
        return words.NO_HELD_OUT
    if choice.needs_folds() and choice.sequence(whole).value is None:
        return words.waiting(rule)
    return words.summary(rule, shown.tree.n_leaves, whole.tree.n_leaves)


def body(whole: GrownTree, shown: GrownTree) -> None:
    """The tab itself."""
    if whole.tree.n_leaves < 2:
        st.markdown(words.LONE)
        return
    left, right = st.columns([2, 3], gap="medium")
    curve = _curve(whole, shown)
    with left:
        _controls(whole, shown)
        _told(whole, curve)
    with right:
        if not choice.needs_folds():
            _how_far(whole)
        _picture(curve)


def _controls(whole: GrownTree, shown: GrownTree) -> None:
    st.radio(words.WHICH, list(words.RULES), format_func=words.RULES.get, key=choice.RULE, help=words.HELP)
    sizes = choice.path(whole).n_leaves[::-1].tolist()
    if len(sizes) < 2:
        return
    size = min(sizes, key=lambda n: (n < shown.tree.n_leaves, n))  # a tree of reduced error may be none of these
    st.session_state[SLIDER] = size
    slider(words.LEAVES, key=SLIDER, options=sizes, default=sizes[-1], on_change=callback(_take_size))


def _take_size() -> None:
    st.session_state[choice.LEAVES] = st.session_state[SLIDER]
    st.session_state[choice.RULE] = choice.BY_HAND


def _take_rule(rule: str) -> None:
    st.session_state[choice.RULE] = rule


def _curve(whole: GrownTree, shown: GrownTree) -> PruningCurve:
    known, found = choice.errors(whole), choice.sequence(whole).value
    n, is_share = shown.tree.n_leaves, whole.dataset.is_classification
    return PruningCurve(choice.path(whole), known.training, known.held, found, n, is_share)


def _told(whole: GrownTree, curve: PruningCurve) -> None:
    if rule := pruning_curve.rule_words(curve):
        st.markdown(rule)
    if price := pruning_curve.price_words(curve):
        st.caption(price)
    st.caption(words.begins_with(whole.tree.n_leaves))


def _picture(curve: PruningCurve) -> None:
    alt = pruning_curve.pruning_alt(curve)
    pictures.show(pruning_curve.pruning_curve(curve, is_dark()), alt, 760)
    st.caption(words.below_the_picture(curve.is_share))
    with st.container(horizontal=True):
        pictures.save(pruning_curve.pruning_curve(curve, False), "error-by-size.svg")
        pictures.save(lambda: to_csv(pruning_curve.pruning_table(curve)), "error-by-size.csv")


def _how_far(whole: GrownTree) -> None:
    """How far cross-validation is, how it ended where it was stopped, or the button that begins it."""
    key = choice.job_key(whole)
    if not choice.may_begin(whole):
        watch.offer([key], words.much_to_do(choice.FOLDS + 1, len(whole.dataset.y)), words.VALIDATE)
        return
    found = choice.sequence(whole)
    if found.is_awaited:
        note.progress(
            [Line(key, words.VALIDATING, lambda job: Far(job.share, words.VALIDATING, job.seconds_left))]
        )
    else:
        note.ended(key, watch.found(key) or found, words.STOPPED, words.FAILED, goes_on=False)
