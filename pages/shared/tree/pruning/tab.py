"""The tab "Error by size": errors against depth, leaves or price, and the rule by which CART is pruned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from espalier.views.tree import error_curve
from espalier.views.tree.error_curve import DEPTH, LEAVES, SizeCurve
from pages.shared.app.frame import callback
from pages.shared.canvas.slider import slider
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.models import learners, rail
from pages.shared.tree.pruning import by_depth, choice, picture
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import pruning as words

TAKEN = "size-taken"  # key of the session state
SLIDER = "pruning-slider"  # key of the widget


def line(whole: GrownTree, shown: GrownTree) -> None:
    """Above the tree: that it is pruned, and the way back; how far a rule is that is still to choose."""
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
    across = st.segmented_control(
        words.ALONG, list(words.ACROSS), format_func=words.ACROSS.__getitem__, key=choice.ACROSS, required=True
    )
    if across == DEPTH:
        _by_depth(whole)
    elif not choice.is_offered(whole):
        st.markdown(words.not_pruned(learners.named(whole.source.model.name).title()))
    elif (of := whole if across == LEAVES else choice.unpruned(whole)).tree.n_leaves < 2:
        st.markdown(words.LONE)
    else:
        _by_price(of, shown, str(across))


def _by_depth(whole: GrownTree) -> None:
    what = by_depth.asked(whole)
    curve = by_depth.curve(what)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        if curve is not None and (rule := error_curve.rule_words(curve)):
            st.markdown(rule)
        st.caption(f"{words.depth_words(what.n_folds, what.is_searched, what.most)} {_together(whole)}")
    with right:
        if curve is None:
            _how_far_by_depth(what)
        else:
            depths = curve.at.tolist()
            picture.draw(curve, what.key, lambda number: _take(by_depth.take, what, depths[number]))


def _how_far_by_depth(what: by_depth.AllDepths) -> None:
    if not by_depth.may_begin(what):
        amount = words.much_to_do(what.most * (what.n_folds + 1), len(what.dataset.y))
        watch.offer([what.key], amount, words.GROW_DEPTHS)
        return
    found = by_depth.errors(what)
    if found.is_awaited:
        title = words.GROWING_DEPTHS
        note.progress([Line(what.key, title, lambda job: Far(job.share, title, job.seconds_left))])
    else:
        note.ended(what.key, found, words.STOPPED_DEPTHS, words.FAILED_DEPTHS, goes_on=False)


def _take(act: Callable[..., None], *what: Any) -> None:
    """Have the controls say what was clicked, and the whole page follow (a callback)."""
    act(*what)
    st.session_state[TAKEN] = True


def was_taken() -> bool:
    """Whether a click has changed the controls, so that the whole page has to run; asked once."""
    return st.session_state.pop(TAKEN, False)


def _by_price(whole: GrownTree, shown: GrownTree, across: str) -> None:
    left, right = st.columns([2, 3], gap="medium")
    curve = _curve(whole, shown, across)
    with left:
        _controls(whole, shown)
        _told(whole, curve)
        if together := _together(whole):
            st.caption(together)
    with right:
        if not choice.needs_folds():
            _how_far(whole)
        picture.draw(curve, whole.key, lambda number: _take(_take_tree, whole, across, number))


def _together(whole: GrownTree) -> str:
    """How rows that belong together are dealt into the folds of the cross-validated error; empty if none do."""
    return rail.together(whole.table, "folds")


def _take_tree(whole: GrownTree, across: str, number: int) -> None:
    path = choice.path(whole)
    if across == LEAVES:
        st.session_state[choice.LEAVES] = int(path.n_leaves[number])
        st.session_state[choice.RULE] = choice.BY_HAND
    else:
        choice.take_price(path, number)


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


def _curve(whole: GrownTree, shown: GrownTree, across: str) -> SizeCurve:
    known, found, path = choice.errors(whole), choice.sequence(whole).value, choice.path(whole)
    at = path.n_leaves if across == LEAVES else path.alpha
    number = np.flatnonzero(path.n_leaves == shown.tree.n_leaves)
    validated, i = None if found is None else found.validated, int(number[0]) if len(number) else None
    return SizeCurve(across, at, known.training, known.held, validated, i, whole.dataset.is_classification)


def _told(whole: GrownTree, curve: SizeCurve) -> None:
    if rule := error_curve.rule_words(curve):
        st.markdown(rule)
    if curve.shown is not None:
        st.caption(error_curve.price_words(choice.path(whole).alpha, curve.shown))
    st.caption(words.begins_with(whole.tree.n_leaves))


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
