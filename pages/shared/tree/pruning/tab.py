"""The tab "Pruning": the rule, a slider along the sequence of subtrees, and error against size."""

from __future__ import annotations

import streamlit as st

from espalier.views.spreadsheet import to_csv
from espalier.views.theme import count
from espalier.views.tree import pruning_curve
from espalier.views.tree.pruning_curve import PruningCurve
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER
from pages.shared.tree.pruning import choice
from pages.shared.tree.results import GrownTree

TITLE = "**Cross-validating the sizes**"
SLIDER = "leaves of the pruned tree"  # key of the widget
HELP = """
- **Whole tree.** As the controls on the left grow it.
- **One standard error.** The smallest tree whose cross-validated error is within one standard error of the least
  (Breiman et al. 1984, section 3.4.3): much simpler, and hardly worse.
- **Least error.** The tree with the least cross-validated error.
- **Reduced error.** From the leaves up, a split stays only if it makes fewer errors on the held-out rows (Quinlan
  1987). Their score is then no longer one on unseen rows.
- **By hand.** As many leaves as the slider says.
"""
NO_HELD_OUT = "No rows are held out, so there are none to prune by: hold some out on the left."
SEEN = "The held-out rows chose this tree, so its score on them is too good."
LONE = "This tree is a lone root: there is nothing to prune. Let it grow larger with the controls on the left."


def line(whole: GrownTree, shown: GrownTree) -> None:
    """Above the tree: that it is pruned, and the way back; how far a rule is that is still to choose."""
    if not choice.is_offered(whole) or st.session_state[choice.RULE] == choice.WHOLE:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="pruned"):
        st.markdown(f":material/content_cut: {_summary(whole, shown)}", width="stretch")
        st.button("Whole tree", icon=":material/undo:", on_click=callback(_take_rule), args=(choice.WHOLE,))
    if choice.needs_folds():
        _how_far(whole)


def _summary(whole: GrownTree, shown: GrownTree) -> str:
    rule = st.session_state[choice.RULE]
    if rule == choice.REDUCED and not whole.held.any():
        return NO_HELD_OUT
    if choice.needs_folds() and choice.sequence(whole).value is None:
        return f"The whole tree, until cross-validation chooses a size ({choice.RULES[rule].lower()})."
    seen = f" {SEEN}" if rule == choice.REDUCED else ""
    sizes = f"{count(shown.tree.n_leaves)} of {count(whole.tree.n_leaves)} leaves are left"
    return f"Pruned, {choice.RULES[rule].lower()}: {sizes}.{seen}"


def body(whole: GrownTree, shown: GrownTree) -> None:
    """The tab itself."""
    if whole.tree.n_leaves < 2:
        st.markdown(LONE)
        return
    left, right = st.columns([2, 3], gap="medium")
    curve = _curve(whole, shown)
    with left:
        _controls(whole, shown)
        _words(whole, curve)
    with right:
        if not choice.needs_folds():
            _how_far(whole)
        _picture(curve)


def _controls(whole: GrownTree, shown: GrownTree) -> None:
    st.radio("Which subtree", list(choice.RULES), format_func=choice.RULES.get, key=choice.RULE, help=HELP)
    sizes = choice.path(whole).n_leaves[::-1].tolist()
    if len(sizes) < 2:
        return
    size = min(sizes, key=lambda n: (n < shown.tree.n_leaves, n))  # a tree of reduced error may be none of these
    if st.session_state.get(SLIDER) != size:  # written again, the same number would stop a drag
        st.session_state[SLIDER] = size
    st.select_slider("Leaves", sizes, key=SLIDER, on_change=callback(_take_size))


def _take_size() -> None:
    st.session_state[choice.LEAVES] = st.session_state[SLIDER]
    st.session_state[choice.RULE] = choice.BY_HAND


def _take_rule(rule: str) -> None:
    st.session_state[choice.RULE] = rule


def _curve(whole: GrownTree, shown: GrownTree) -> PruningCurve:
    known, found = choice.errors(whole), choice.sequence(whole).value
    n, is_share = shown.tree.n_leaves, whole.dataset.is_classification
    return PruningCurve(choice.path(whole), known.training, known.held, found, n, is_share)


def _words(whole: GrownTree, curve: PruningCurve) -> None:
    if rule := pruning_curve.rule_words(curve):
        st.markdown(rule)
    if price := pruning_curve.price_words(curve):
        st.caption(price)
    st.caption(
        f"It begins with the tree that the controls on the left grow, with {count(whole.tree.n_leaves)} leaves. "
        "The larger it is, the more there is to choose from."
    )


def _picture(curve: PruningCurve) -> None:
    alt = pruning_curve.pruning_alt(curve)
    pictures.show(pruning_curve.pruning_curve(curve, is_dark()), alt, 760)
    unit = "the share of rows with a wrong class" if curve.is_share else "the mean squared error"
    st.caption(
        f"Error: {unit}. The band is one standard error; rings mark the least cross-validated error, and the "
        "smallest tree below the dotted line, one standard error above it."
    )
    with st.container(horizontal=True):
        pictures.save(pruning_curve.pruning_curve(curve, False), "error-by-size.svg")
        pictures.save(lambda: to_csv(pruning_curve.pruning_table(curve)), "error-by-size.csv")


def _how_far(whole: GrownTree) -> None:
    """How far cross-validation is, how it ended where it was stopped, or the button that begins it."""
    key = choice.job_key(whole)
    if not choice.may_begin(whole):
        words = f"{choice.FOLDS + 1} trees have to grow on up to {count(len(whole.dataset.y))} rows each."
        watch.offer([key], words, "Cross-validate")
        return
    found = choice.sequence(whole)
    if found.is_awaited:
        note.progress([Line(key, TITLE, lambda job: Far(job.share, TITLE, job.seconds_left))])
    else:
        note.ended(
            key, RUNNER.outcome(key) or found, "Cross-validation was stopped.", "No size can be chosen.", False
        )
