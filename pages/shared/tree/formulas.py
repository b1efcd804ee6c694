"""The formula of the selected leaf of a model tree: whole, and term by term."""

from __future__ import annotations

import streamlit as st

from espalier.grown import GrownTree
from espalier.language import Texts, say
from espalier.leaf_models import formula_features
from espalier.model_trees import code_words, formula_lines, score_names, short_formula, term_table
from espalier.trees import LEAF
from pages.shared.app.frame import plain
from pages.shared.canvas.components import data_table

ENDS = Texts(
    {
        "identity": "A prediction stays between the least and the greatest target of the training rows.",
        "logistic": "*Log odds* of 0 are a share of 50 %, 1 is 73 %, 2 is 88 %.",
        "softmax": "The class with the greatest score is predicted.",
    }
)


def body(grown: GrownTree, node: int) -> None:
    """Draw the formula of a leaf, and the table of its terms."""
    model, data = grown.model_tree, grown.dataset
    if model.tree.feature[node] != LEAF:
        st.markdown(say("A split has no formula: select a leaf to read its own."))
        return
    for line in formula_lines(model, data.features, data.target, node):
        st.markdown(f"**{plain(line)}**")
    used = formula_features(model.models, node)
    notes = [ENDS[model.models.link], *(f"{plain(line)}." for line in code_words(data.features, used))]
    if used:
        data_table(
            term_table(model, data.features, data.target, node), hide_index=True, key=f"terms {grown.key} {node}",
            alt=say("The terms of the formula, that of the greatest reach first"),
        )  # fmt: skip
        notes.insert(
            0, say("Values beyond *from* or *to* count as these; *reach*: what a term can change at most.")
        )
    st.caption(" ".join(notes))


def in_short(grown: GrownTree, node: int) -> str:
    """The formula of a leaf on one line, short where there are several scores; empty at a split."""
    model, data = grown.model_tree, grown.dataset
    if model.tree.feature[node] != LEAF:
        return ""
    if len(score_names(model, data.target)) == 1:
        return formula_lines(model, data.features, data.target, node)[0]
    return short_formula(model, data.features, node)
