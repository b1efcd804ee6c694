"""The formula of the selected leaf: whole, term by term, and with the values of the selected row."""

from __future__ import annotations

import streamlit as st

from espalier import model_trees as formulas
from espalier.language import Texts, say
from espalier.leaf_models import formula_features
from espalier.learners.catalogue import Model
from espalier.model_trees import code_words, formula_lines, score_names, short_formula, term_table
from espalier.trees import LEAF
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.canvas.data_table import data_table
from pages.shared.tree import explorer, report, results
from pages.shared.tree.results import GrownTree

ENDS = Texts(
    {
        "identity": "A prediction is never beyond the least and greatest target that the tree was grown on.",
        "logistic": "*Log odds* of 0 are a share of 50 %, 1 is 73 %, 2 is 88 %; below 0 the other class is "
        "likelier.",
        "softmax": "The class with the greatest score is predicted.",
    }
)


def body(grown: GrownTree, node: int) -> None:
    """Draw the formula of a leaf, and the table of its terms."""
    model, data = grown.model_tree, grown.dataset
    if model.tree.feature[node] != LEAF:
        st.markdown(say("A split has no formula: each leaf below it has one. Select a leaf to read its formula."))
        return
    for line in formula_lines(model, data.features, data.target, node):
        st.markdown(f"**{plain(line)}**")
    used = formula_features(model.models, node)
    if not used:
        st.caption(say("This formula is a number alone: no column improved it.") + f" {ENDS[model.models.link]}")
        return
    table = term_table(model, data.features, data.target, node)
    data_table(
        table,
        hide_index=True,
        key=f"terms {grown.key} {node}",
        alt=say("The terms of the formula, that of the greatest reach first"),
    )
    codes = " ".join(f"{plain(line)}." for line in code_words(data.features, used))
    st.caption(
        say(
            "A value below *from* counts as *from*, and one above *to* as *to*: no formula is used beyond what "
            "its leaf saw. *Reach* is the most by which a term can change the result within these limits."
        )
        + f" {ENDS[model.models.link]} {codes}"
    )


def in_short(grown: GrownTree, node: int) -> str:
    """The formula of a leaf on one line, short where there are several scores; empty at a split."""
    model, data = grown.model_tree, grown.dataset
    if model.tree.feature[node] != LEAF:
        return ""
    if len(score_names(model, data.target)) == 1:
        return formula_lines(model, data.features, data.target, node)[0]
    return short_formula(model, data.features, node)


# ---- A CART tree of the same size beside a model tree: steps beside formulas, and the scores of both

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
