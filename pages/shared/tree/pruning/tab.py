"""The tab "Error by size": errors against depth, leaves or price, and the rule by which CART is pruned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.display.tree import error_curve
from espalier.display.tree import error_curve as curves
from espalier.display.tree.error_curve import DEPTH, LEAVES, SizeCurve
from espalier.language import say
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark
from pages.shared.canvas.curve import bars_canvas
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.slider import slider
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.models import drawer, learners
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.pruning import by_depth, choice
from pages.shared.tree.results import GrownTree

WIDEST = 760  # pixels
TABLE = "error-table"  # key of the drawer


def draw(curve: SizeCurve, key: str, take: Callable[[int], None]) -> None:
    """Draw the errors; `take` is called with the number of the tree that is chosen (a callback)."""
    picture = curves.error_picture(curve)
    image = {"href": pictures.as_address(picture.draw(is_dark())), "width": curves.WIDTH, "height": curves.HEIGHT}
    card = curves.card(curve, f"{key} {curve.across}")
    card |= {
        "still": [["image", image, ""]],
        "keys": say("Arrows go from tree to tree, Enter shows one."),
        "most": WIDEST,
    }
    bars_canvas(card, key=f"errors by {curve.across}", on_pick=callback(lambda number: take(int(number))))
    st.caption(_picture_caption(curve.is_share))
    with st.container(horizontal=True):
        pictures.save(picture.draw(False), f"error-by-{curve.across}.svg")
        pictures.save(lambda: to_csv(curves.error_table(curve)), f"error-by-{curve.across}.csv")
    drawer = st.expander(say("All errors as a table"), key=TABLE, on_change="rerun")
    if drawer.open:
        with drawer:
            data_table(curves.error_table(curve), hide_index=True, alt=picture.alt)


def _picture_caption(is_share: bool) -> str:
    """What the lines, the band and the rings are, and what a click does."""
    unit = say("the share of rows with a wrong class") if is_share else say("the mean squared error")
    return say(
        "{CLICK} Error: {unit}. {LINES}",
        CLICK=say("Click a point: the tree above becomes the one of that size."),
        unit=unit,
        LINES=say(
            "The band is one standard error wide on each side. Two trees have rings: that with the least "
            "cross-validated error, and the smallest one whose error is at most a standard error above it, the "
            "dotted line."
        ),
    )


# ---- the tab "Error by size": errors against depth, leaves or price, and the rule by which CART is pruned

TAKEN = "size-taken"  # key of the session state
SLIDER = "pruning-slider"  # key of the widget


def line(whole: GrownTree, shown: GrownTree) -> None:
    """Above the tree: that it is pruned, and the way back; how far a rule is that is still to choose."""
    if choice.is_offered(whole) and st.session_state[choice.RULE] != choice.WHOLE:
        _line(whole, shown)


def _line(whole: GrownTree, shown: GrownTree) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="pruned"):
        st.markdown(f":material/content_cut: {_summary(whole, shown)}", width="stretch")
        st.button(say("Whole tree"), icon=":material/undo:", on_click=callback(_take_rule), args=(choice.WHOLE,))
    if choice.needs_folds():
        _how_far(whole)


def _summary(whole: GrownTree, shown: GrownTree) -> str:
    rule = st.session_state[choice.RULE]
    if rule == choice.REDUCED and not whole.held.any():
        return say("No rows are held out, so there are none to prune by: hold some out under More settings.")
    if choice.needs_folds() and choice.sequence(whole).value is None:
        return say(
            "The whole tree, until cross-validation chooses a size ({RULES}).",
            RULES=tree_sentences.RULES[rule].lower(),
            RULES_2=tree_sentences.RULES[rule],
        )
    return _pruning_summary(rule, shown.tree.n_leaves, whole.tree.n_leaves)


def body(whole: GrownTree, shown: GrownTree) -> None:
    """The tab itself."""
    across = st.segmented_control(
        say("Error against"),
        list(tree_sentences.ACROSS),
        format_func=tree_sentences.ACROSS.__getitem__,
        key=choice.ACROSS,
        required=True,
    )
    if across == DEPTH:
        _by_depth(whole)
    elif not choice.is_offered(whole):
        st.markdown(
            say(
                "Only CART can be cut back step by step, each smaller tree a part of the one before. For "
                "*{learner}*, choose Depth above.",
                learner=say(learners.LEARNERS[whole.source.model.name].kind.title),
            )
        )
    elif (of := whole if across == LEAVES else choice.unpruned(whole)).tree.n_leaves < 2:
        st.markdown(
            say("This tree is a lone root: there is nothing to prune. Let it grow larger with the controls below.")
        )
    else:
        _by_price(of, shown, str(across))


def _by_depth(whole: GrownTree) -> None:
    what = by_depth.asked(whole)
    curve = by_depth.curve(what)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        if curve is not None and (rule := error_curve.rule_words(curve)):
            st.markdown(rule)
        st.caption(f"{_depth_caption(what.n_folds, what.is_searched, what.most)} {_together(whole)}")
    with right:
        if curve is None:
            _how_far_by_depth(what)
        else:
            depths = curve.at.tolist()
            draw(curve, what.key, lambda number: _take(by_depth.take, what, depths[number]))


def _how_far_by_depth(what: by_depth.AllDepths) -> None:
    if not by_depth.may_begin(what):
        amount = _work_note(what.most * (what.n_folds + 1), len(what.dataset.y))
        watch.offer([what.key], amount, say("Grow them"))
        return
    found = by_depth.errors(what)
    if found.is_awaited:
        title = say("**Growing trees of every depth**")
        note.progress([Line(what.key, title, lambda job: Far(job.share, title, job.seconds_left))])
    else:
        note.ended(
            what.key,
            found,
            say("Growing the trees of every depth was stopped."),
            say("There are no errors by depth."),
            goes_on=False,
        )


def _take(act: Callable[..., None], *what: Any) -> None:
    """Have the controls say what was clicked, and the whole page follow (a callback)."""
    act(*what)
    st.session_state[TAKEN] = True


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
        draw(curve, whole.key, lambda number: _take(_take_tree, whole, across, number))


def _together(whole: GrownTree) -> str:
    """How rows that belong together are dealt into the folds of the cross-validated error; empty if none do."""
    return drawer.together(whole.table, "folds")


def _take_tree(whole: GrownTree, across: str, number: int) -> None:
    path = choice.path(whole)
    if across == LEAVES:
        st.session_state[choice.LEAVES] = int(path.n_leaves[number])
        st.session_state[choice.RULE] = choice.BY_HAND
    else:
        choice.take_price(path, number)


def _controls(whole: GrownTree, shown: GrownTree) -> None:
    st.radio(
        say("Which subtree"),
        list(tree_sentences.RULES),
        format_func=tree_sentences.RULES.get,
        key=choice.RULE,
        help=say(
            "\n- **Whole tree.** As the controls grow it.\n- **One standard error.** "
            "The smallest tree whose cross-validated error is within one standard error of the "
            "least\n  (Breiman et al. 1984, section 3.4.3): much simpler, and hardly worse.\n- "
            "**Least error.** The tree with the least cross-validated error.\n- **Reduced "
            "error.** From the leaves up, a split stays only if it makes fewer errors on the "
            "held-out rows (Quinlan\n  1987). Their score is then no longer one on unseen rows.\n- "
            "**By hand.** As many leaves as the slider says.\n"
        ),
    )
    sizes = choice.path(whole).n_leaves[::-1].tolist()
    if len(sizes) < 2:
        return
    size = min(sizes, key=lambda n: (n < shown.tree.n_leaves, n))  # a tree of reduced error may be none of these
    st.session_state[SLIDER] = size
    slider(say("Leaves"), key=SLIDER, options=sizes, default=sizes[-1], on_change=callback(_take_size))


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
    st.caption(
        say(
            "The sequence begins with the tree that the controls grow: {n_leaves} leaves. The larger "
            "it is, the more there is to choose from.",
            n_leaves=count(whole.tree.n_leaves),
        )
    )


def _how_far(whole: GrownTree) -> None:
    """How far cross-validation is, how it ended where it was stopped, or the button that begins it."""
    key = choice.job_key(whole)
    if not choice.may_begin(whole):
        watch.offer([key], _work_note(choice.FOLDS + 1, len(whole.dataset.y)), say("Cross-validate"))
        return
    found = choice.sequence(whole)
    if found.is_awaited:
        note.progress(
            [
                Line(
                    key,
                    say("**Cross-validating the sizes**"),
                    lambda job: Far(job.share, say("**Cross-validating the sizes**"), job.seconds_left),
                )
            ]
        )
    else:
        note.ended(
            key,
            watch.found(key) or found,
            say("Cross-validation was stopped."),
            say("No size can be chosen."),
            goes_on=False,
        )


def _depth_caption(n_folds: int, is_searched: bool, most: int) -> str:
    """How the errors of each depth come about."""
    end = say(" Each tree takes a search of its own, so there are few folds, and depths up to {most}.", most=most)
    return say(
        "A tree of each depth, with the other settings as they are. For the cross-validated error the training "
        "rows are dealt into {n_folds} parts (folds); each part judges trees grown on the others.{is_searched}",
        n_folds=n_folds,
        is_searched=end if is_searched else "",
    )


def _pruning_summary(rule: str, left: int, of: int) -> str:
    """By what rule the tree was pruned, and what is left of it."""
    seen = (
        f" {say('The held-out rows chose this tree, so its score on them is too good.')}"
        if rule == "reduced"
        else ""
    )
    return say(
        "Pruned, {RULES}: {left} of {of} leaves are left.{seen}",
        RULES=tree_sentences.RULES[rule].lower(),
        left=count(left),
        of=count(of),
        seen=seen,
        RULES_2=tree_sentences.RULES[rule],
    )


def _work_note(n_trees: int, n_rows: int) -> str:
    """How much work cross-validation is."""
    return say("{n_trees} trees have to grow on up to {n_rows} rows each.", n_trees=n_trees, n_rows=count(n_rows))
