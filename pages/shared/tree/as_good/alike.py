"""The tree as good that answers most like tree A: one that was kept, or last month's, from a file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier import predict
from espalier.learners.optimal.as_good.building import text_of
from espalier.learners.optimal.as_good.nearest import nearest
from espalier.learners.optimal.as_good.nodes import shape_of
from espalier.learners.optimal.as_good.settled import answers_of
from espalier.learners.optimal.as_good.stable import agreement
from espalier.views.optimal import words as optimal_words
from espalier.views.theme import percent
from pages.shared.app.frame import callback, plain
from pages.shared.app.table_results import of_table
from pages.shared.tree import results
from pages.shared.tree.as_good.building import OWN, RECORD
from pages.shared.tree.fits import AsGood
from pages.shared.tree.results import GrownTree
from pages.shared.tree.two import first, kept
from pages.shared.tree.two.first import TreeA
from pages.shared.words.tree import as_good as words
from pages.shared.words.tree import page as page_words


class AlikeTree(NamedTuple):
    """The tree as good that gives the most training rows the class that tree A gives them."""

    record: str  # as `TreeBuilding` writes it
    objective: float
    n_splits: int
    agreement: float  # share of the rows
    of_best: float  # that of the optimal tree


def section(key: str, grown: GrownTree, others: AsGood, rows: np.ndarray) -> None:
    """The drawer of the tree most alike to A; `rows` are those that the trees were grown on."""
    drawer = st.expander(words.ALIKE, key="alike tree", on_change="rerun")
    if drawer.open:
        with drawer:
            one = kept.kept(grown.table.target)
            if one is None:
                st.caption(words.ALIKE_HOW)
                return
            a = first.tree_a(one, grown)
            if a is not None:
                _draw(f"{key} {a.key}", grown, others, a, rows)


def _draw(key: str, grown: GrownTree, others: AsGood, a: TreeA, rows: np.ndarray) -> None:
    found = _most_alike(key, grown, others, a, rows)
    errors = optimal_words.amount(found.objective, results.prices(grown).are_equal)
    facts = page_words.splits(found.n_splits), errors
    st.markdown(words.alike(plain(a.title), facts, percent(found.agreement), percent(found.of_best)))
    st.button(words.SHOW, key="show alike", on_click=callback(_show), args=(found.record,))


@of_table(max_entries=8)
def _most_alike(key: str, _grown: GrownTree, _others: AsGood, _a: TreeA, _rows: np.ndarray) -> AlikeTree:
    says = predict.classes(_a.record, _a.rows(_grown)[_rows])
    votes, trees = (says[:, None] == _others.present[None]).astype(float), _others.trees
    chosen = nearest(trees, votes)
    near = _others.built(shape_of(chosen))
    shares = [_share(votes, answers_of(trees, shape)) for shape in (shape_of(chosen), trees.shape(0))]
    return AlikeTree(text_of(trees, chosen), near.objective, near.n_splits, *shares)


def _share(votes: np.ndarray, answers: np.ndarray) -> float:
    """Share of all rows that get the answer of A, which may be a class that no tree here gives."""
    return agreement(votes, answers) * votes.sum() / len(votes) if votes.any() else 0.0


def _show(record: str) -> None:
    st.session_state[RECORD], st.session_state["tree"] = record, OWN
