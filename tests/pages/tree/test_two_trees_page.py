"""A | B: a tree that is kept as A, beside the one of the controls, with what differs."""

from urllib.parse import urlencode

from espalier.data import samples
from espalier.learners import CartClassifier
from espalier.predict import classes
from tests.tools import on_page
from tests.tools.on_page import address_of, open_tree, press, whole, words_of


def says_both(page, first, second):
    """Whether a paragraph or a warning of the page says both."""
    return any(first in one.value and second in one.value for one in (*page.markdown, *page.warning))


def test_a_tree_is_kept_as_a_and_compared_with_what_the_controls_grow_next():
    page = press(whole(open_tree(data="moons", depth="2")), "Compare with…")
    assert address_of(page)["beside"] == urlencode({"model": "cart", "table": "moons", "depth": "2"})
    assert "Both trees give the same answer to 400 rows." in plain_words(page)
    whole(on_page.Slider(page, "depth").set_value(6).run())
    assert says_both(page, "A: CART", "depth 2")
    assert "The answer changes for" in words_of(page)
    press(whole(page.run()), "Stop comparing")  # AppTest has lost the controls, which the move did not draw
    assert "beside" not in address_of(page)


def test_a_link_shows_another_learner_with_its_changes_by_hand_as_a_and_nonsense_shows_one_tree():
    page = whole(
        open_tree(data="iris", depth="2", beside=urlencode({"model": "cart", "depth": "1", "edits": "Rg"}))
    )
    assert says_both(page, "changed by hand", "3 leaves")
    for wrong in ("nonsense", "model=forest", "model=cart&depth=deep", "x" * 3000):
        page = whole(open_tree(data="iris", beside=wrong))
        assert "Compare with…" in words_of(page)
        assert "#### A | B" not in words_of(page)


IRIS = samples.load("iris")


def plain_words(page):
    return words_of(page).replace("\\", "")


def trained(depth):
    return CartClassifier(max_depth=depth).fit(IRIS.X, IRIS.y).tree_


def test_the_difference_of_two_depths_is_told_and_drawn_and_a_kept_tree_stays_on_its_rows():
    beside = urlencode({"model": "cart", "table": "iris", "depth": "2"})
    page = whole(open_tree(data="iris", held="0", depth="4", row="71", beside=beside))
    assert "2 the same" in plain_words(page)
    assert "only in B" in plain_words(page)
    table = next(one.value for one in page.dataframe if "A says" in one.value)
    expected = (classes(trained(2), IRIS.X) != classes(trained(4), IRIS.X)).sum()
    assert len(table) == expected > 0
    pictures = [
        one.proto.body for one in page.get("html") if "the splits" in one.proto.body or "alt=" in one.proto.body
    ]
    assert any("Tree A" in one for one in pictures)
    assert any("Tree B" in one for one in pictures)
    page = whole(open_tree(data="iris~where~petal length~gt~2", depth="3", beside=urlencode(
        {"model": "cart", "table": "iris", "depth": "3"}
    )))  # fmt: skip
    assert "on Iris flowers (150 rows)" in plain_words(page)
    assert "##### What differs" in plain_words(page)


def test_a_table_of_other_columns_and_a_tree_from_a_file_of_an_earlier_version_are_refused_with_a_sentence():
    page = whole(open_tree(data="iris", depth="2", beside=urlencode({"model": "cart", "table": "wine"})))
    assert "The tables of A and B have other columns" in words_of(page)
    page = whole(open_tree(data="iris", depth="2", beside=urlencode({"file": "0" * 16, "name": "march.json"})))
    assert "a tree from a file is no longer compared" in words_of(page)
