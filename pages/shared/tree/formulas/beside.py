"""A CART tree of the same size beside a model tree: steps beside formulas, and the scores of both."""

from __future__ import annotations

import streamlit as st

from espalier import model_trees as formulas
from espalier.language import say
from espalier.learners.catalogue import Model
from pages.shared.app import pictures
from pages.shared.tree import explorer, report, results
from pages.shared.tree.results import GrownTree

OPENED = "beside-cart"  # key of the fold
WIDTH = 620  # pixels of the picture


def beside_cart(grown: GrownTree) -> None:
    """Draw both trees over the feature that lies on the lower axis of the surface."""
    cart = _cart(grown)
    trees, names = (grown.model_tree, cart.sharp), (say("model tree"), say("CART"))
    feature = explorer.plane_of(grown)[0]
    drawn = formulas.plot_trees(trees, names, grown.dataset, feature, explorer.one_case(grown))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        picture = formulas.curves_picture(drawn)
        pictures.draw(picture, WIDTH)
        pictures.save(lambda: picture.draw(False), "model-tree.svg")
    with right:
        st.markdown(_sizes(grown.tree.n_leaves, cart.tree.n_leaves))
        for name, tree in ((say("model tree"), grown), (say("CART"), cart)):
            st.markdown(f"**{name}**: {report.scores_in_short(tree)}")
        st.caption(
            say(
                "Over the column that is on the lower axis of the surface above; other columns have "
                "typical values, or those of the selected row."
            )
        )


def _cart(grown: GrownTree) -> GrownTree:
    """CART with as many leaves on the same rows, as deep as it needs to be."""
    model = grown.source.model
    settings = {"depth": None, "leaves": max(grown.tree.n_leaves, 2), "leaf": model.value("leaf")}
    settings["without"] = model.value("without")
    if grown.dataset.is_classification:
        settings["weights"] = model.value("weights")
    return results.grown(grown.dataset, grown.source.holdout, Model("cart", tuple(settings.items())))


def _sizes(of_model: int, of_cart: int) -> str:
    """Sizes of both trees, and how they answer."""
    model, cart = _leaves(of_model, say("formula")), _leaves(of_cart, say("answer"))
    return say("The model tree has {model}; CART has {cart} for all of its rows.", model=model, cart=cart)


def _leaves(n: int, thing: str) -> str:
    """A number of leaves, and what each has."""
    return (
        say("1 leaf with one {thing}", thing=thing)
        if n == 1
        else say("{n} leaves, each with one {thing}", n=n, thing=thing)
    )
