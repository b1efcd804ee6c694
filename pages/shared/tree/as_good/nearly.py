"""The stable tree: of those nearly as good as CART, the one nearest to trees of rows drawn anew."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from espalier.analysis.stability.path_distance import ranges_of
from espalier.analysis.stability.stable_tree import BAGS, MOST_LOST, Bags, StableTree, stable_tree
from espalier.data.rows import parts
from espalier.learners import CartClassifier
from espalier.learners.optimal import NearTree
from espalier.progress import Progress
from espalier.trees import LEAF
from espalier.views.theme import number, percent
from espalier.views.tree import small_tree
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark
from pages.shared.jobs import note, watch
from pages.shared.jobs.job import Outcome, Work
from pages.shared.jobs.note import Far, Line
from pages.shared.tree import fits, results
from pages.shared.tree.fits import AsGood
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import as_good as words
from pages.shared.words.tree import page as page_words

STABLE = -2  # number of the stable tree among those of the gallery


def key_of(grown: GrownTree) -> str:
    """The key of its job."""
    return f"{grown.key} stable"


def outcome(grown: GrownTree) -> Outcome:
    """The stable tree so far; it is looked for when it is first asked for."""
    key, depth = key_of(grown), grown.source.model.value("depth")
    return watch.found(key) or watch.outcome(Work(key, 2**depth - 1, partial(_found, grown, depth)), beside=True)


def _found(grown: GrownTree, depth: int, progress: Progress) -> StableTree | None:
    fit, data = fits.Fit(grown.dataset, *grown.source), grown.dataset
    training = fit.estimator.prepare(fit.X, fit.y, fit.weight).of_positive_weight()
    together = parts.units(fit.roles, 0)
    counts = np.ones(len(fit.y), dtype=bool) if fit.weight is None else fit.weight > 0
    bags = Bags.of(training, BAGS, 0, None if together is None else together[counts])
    cart = CartClassifier(
        max_depth=depth, random_state=0, categorical_features=np.flatnonzero(data.categorical).tolist()
    )
    return stable_tree(training, ranges_of(data), cart, bags, progress=progress)


def shown(grown: GrownTree, others: AsGood) -> NearTree | None:
    """The stable tree as one that stands in place of the optimal one; None until it is found."""
    found = outcome(grown).value
    if not isinstance(found, StableTree):
        return None
    tree = fits.of_all_classes(found.tree, others.present, others.n_classes)
    leaf = tree.feature == LEAF
    errors = float((tree.weight[leaf] * (1 - tree.value[leaf].max(axis=1))).sum())
    return NearTree(tree, round(errors, 6), tree.n_leaves - 1)


def section(grown: GrownTree, others: AsGood) -> None:
    """The stable tree and what it gives up; where errors cost differently, why there is none."""
    st.markdown(words.NEARLY)
    if not results.prices(grown).are_equal:
        st.caption(words.NEARLY_EQUAL_COSTS)
        return
    key, found = key_of(grown), outcome(grown)
    if found.is_awaited:
        note.progress([Line(key, words.NEARLY_LOOKING, lambda job: Far(job.share, words.NEARLY_LOOKING))])
        return
    note.ended(key, found, words.NEARLY_STOPPED, goes_on=False)
    near = shown(grown, others)
    if near is not None:
        _draw(grown, found.value, near)


def _draw(grown: GrownTree, found: StableTree, near: NearTree) -> None:
    cart, data = found.of_cart, grown.dataset
    st.markdown(
        words.nearly(
            (page_words.splits(near.n_splits), page_words.splits(cart.tree.n_leaves - 1)),
            (number(found.distance), number(cart.distance)),
            (number(found.auc), number(cart.auc)),
        )
    )
    drawn = small_tree.small_tree(near.tree, data.features, data.target, is_dark())
    pictures.show(drawn, small_tree.alt(near.tree, data.features, data.target), small_tree.width_of(near.tree))
    st.button(words.SHOW, key="show nearly", on_click=callback(_show), disabled=st.session_state["tree"] == STABLE)
    st.caption(words.nearly_caption(found.n_candidates, BAGS, percent(MOST_LOST)))


def _show() -> None:
    st.session_state["tree"] = STABLE
