"""A small multiple of the cards: each tree small, with what differs from the tree shown marked."""

from __future__ import annotations

import streamlit as st

from espalier import optimal
from espalier.display.theme import count
from espalier.language import say
from espalier.optimal import Mark
from espalier.tree.differences import TreeColumns
from espalier.trees import Tree
from pages.shared.app import pictures
from pages.shared.app.frame import callback, plain
from pages.shared.app.table_results import of_table
from pages.shared.tree import results
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.fits import AsGood
from pages.shared.tree.results import GrownTree

MOST_CELLS = 12  # cards that are drawn
WIDTH = 160  # pixels of a cell


def section(key: str, grown: GrownTree, shown: Tree, others: AsGood) -> None:
    """The first cards beside each other, each with a button that shows its best tree; `key` names the cards."""
    n = len(others.cards.cards)
    if n == 1:
        return
    st.markdown(say("**At a glance: what differs from the tree shown above**"))
    st.caption(_glance_caption(count(MOST_CELLS) if n > MOST_CELLS else "", count(n)))
    key = f"{key} glance {st.session_state['tree']}"
    found = _marks(key, grown, shown, others)
    with st.container(horizontal=True, gap="small", key="glance"):
        for number, marks in enumerate(found, 1):
            with st.container(border=True, width=WIDTH, height="stretch", gap="xsmall"):
                _cell(grown, others, number, marks)


@of_table(max_entries=16)
def _marks(key: str, _grown: GrownTree, _shown: Tree, _others: AsGood) -> list[list[Mark]]:
    X, cards = _grown.dataset.X[~_grown.held], _others.cards.cards[:MOST_CELLS]
    return [optimal.marks(_shown, _others.near(card.first).tree, X, _names(_grown)) for card in cards]


def _names(grown: GrownTree) -> TreeColumns:
    return TreeColumns(grown.dataset.features, grown.dataset.target)


def _cell(grown: GrownTree, others: AsGood, number: int, marks: list[Mark]) -> None:
    near = others.near(others.cards.cards[number - 1].first)
    pictures.draw(optimal.multiple_picture(near.tree, marks, _names(grown)), optimal.MULTIPLE_WIDTH)
    lines = [f":small[{plain(line)}]" for line in optimal.mark_words(marks)]
    st.markdown("  \n".join(lines))
    st.space("stretch")
    errors = optimal.amount(near.objective, results.prices(grown).are_equal)
    st.button(
        f"{number} · {errors}", key=f"glance {number}", type="tertiary", icon=":material/visibility:",
        on_click=callback(_show), args=(number,), help=tree_sentences.opening_help(number),
        disabled=st.session_state["tree"] == number,
    )  # fmt: skip


def _show(number: int) -> None:
    st.session_state["tree"] = number


def _glance_caption(n_drawn: str, n: str) -> str:
    """What the marks of the small multiple are; `n_drawn` of the cards are drawn, empty for all."""
    which = say("The first {n_drawn} of {n} cards", n_drawn=n_drawn, n=n) if n_drawn else say("All {n} cards", n=n)
    return say(
        "{which}. Dots are questions, bars leaves; what has no sign is as in the tree shown. Δ: another "
        "threshold. ≠: another question, or another answer. +: a question that the tree shown does not ask. −: "
        "one that is missing here. The button shows the tree.",
        which=which,
    )
