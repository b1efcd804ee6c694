"""The cards of trees as good on the tree page: what each stands for, and all of them at a glance; no browser."""

import re

from pages.shared.tree.as_good import multiple
from tests.pages.tree.test_optimal_page import known, open_optimal, press, said, tree_id
from tests.tools.on_page import address_of, engine, whole

__all__ = ["engine"]


def glances(page):
    return [button for button in page.button if str(button.key).startswith("glance ")]


def glance_pictures(page):
    return [html.value for html in page.get("html") if "It differs from the tree shown" in html.value]


def test_every_card_is_drawn_small_with_what_differs_in_words_and_a_button_up_to_a_number():
    page = open_optimal(data="iris", depth="2", cuts="3")
    n = len(known(page).cards.cards)
    assert 1 < n <= multiple.MOST_CELLS
    assert len(glances(page)) == len(glance_pictures(page)) == n
    assert f"All {n} cards" in said(page)


def test_of_many_cards_the_first_are_drawn_and_the_caption_says_so():
    page = open_optimal(data="iris", depth="2", slack="3")
    n = len(known(page).cards.cards)
    assert n > multiple.MOST_CELLS
    assert len(glances(page)) == multiple.MOST_CELLS
    assert f"The first {multiple.MOST_CELLS} of {n} cards" in said(page)


def test_a_button_shows_the_tree_and_then_the_others_are_told_from_it():
    page = open_optimal(data="iris", depth="2", slack="1")
    first, pictures = tree_id(page), glance_pictures(page)
    glances(page)[2].click()
    whole(page.run())
    assert address_of(page)["tree"] == "3"
    assert tree_id(page) != first
    assert glances(page)[2].disabled
    assert "differs from the tree shown in: nothing" in glance_pictures(page)[2]
    assert glance_pictures(page) != pictures
    press(page, "Back to the optimal tree")
    assert glance_pictures(page) == pictures


def test_a_card_says_how_many_functions_and_trees_it_stands_for_and_on_how_many_rows_they_differ():
    page = open_optimal(data="iris", depth="2", slack="1")
    cards = known(page).cards.cards
    told = [text.value for text in page.markdown if re.match(r"\*\*\d+\*\* · ", text.value)]
    assert len(told) == min(len(cards), 8)
    for line, card in zip(told, cards, strict=False):
        assert f"{card.n_functions} function" in line
        assert (f"{card.n_trees} trees" in line) == (card.n_trees > 1)
        if card.n_differ:
            assert f"at most {card.n_differ} row" in line
    assert any(card.n_differ for card in cards[: len(told)])


def test_a_lone_tree_has_no_small_multiple():
    page = open_optimal(data="moons", depth="1", cuts="3")
    assert len(known(page).cards.cards) == 1
    assert not glances(page)
