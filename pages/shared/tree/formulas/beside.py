"""A CART tree of the same size beside a model tree: steps beside formulas, and the scores of both."""

from __future__ import annotations

import streamlit as st

from espalier.learners.catalogue import Model
from espalier.views.model_trees import curves
from espalier.views.model_trees.curves import TwoTrees
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.tree import explorer, report, results
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import formulas as words

WIDTH = 620  # pixels of the picture


def beside_cart(grown: GrownTree) -> None:
    """Draw both trees over the feature that lies on the lower axis of the surface; nothing for other trees."""
    if not grown.has_formulas:
        return
    st.markdown(words.BESIDE)
    cart = _cart(grown)
    trees = TwoTrees(grown.model_tree, cart.sharp, (words.MODEL, words.CART))
    feature = explorer.plane_of(grown)[0]
    drawn = curves.plot(trees, grown.dataset, feature, explorer.one_case(grown))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        pictures.show(curves.picture(drawn, is_dark()), curves.alt(drawn), WIDTH)
        pictures.save(lambda: curves.picture(drawn, False), "model-tree.svg")
    with right:
        st.markdown(words.sizes(grown.tree.n_leaves, cart.tree.n_leaves))
        for name, tree in ((words.MODEL, grown), (words.CART, cart)):
            st.markdown(words.score_line(name, report.scores_in_short(tree)))
        st.caption(words.OTHERS_HELD)


def _cart(grown: GrownTree) -> GrownTree:
    """CART with as many leaves on the same rows, as deep as it needs to be."""
    model = grown.source.model
    settings = {"depth": None, "leaves": max(grown.tree.n_leaves, 2), "leaf": model.value("leaf")}
    settings["without"] = model.value("without")
    if grown.dataset.is_classification:
        settings["weights"] = model.value("weights")
    return results.grown(grown.dataset, grown.source.holdout, Model("cart", tuple(settings.items())))
