"""A | B: a tree that is kept as A stays beside the one that the controls stand for, and in the address."""

from urllib.parse import urlencode

from espalier.data import samples
from espalier.learners.catalogue import Model
from pages.shared.models import learners
from pages.shared.tree.two import comparison as two_comparison
from tests.tools import on_page
from tests.tools.on_page import address_of, engine, open_tree, whole

__all__ = ["engine"]


def said(page):
    return [text.value for text in (*page.markdown, *page.warning)]


def press(page, label):
    next(button for button in page.button if button.label == label).click()
    return whole(page.run())


def test_a_tree_is_kept_as_a_and_compared_with_what_the_controls_grow_next():
    page = press(whole(open_tree(data="moons", depth="2")), "Keep as A")
    assert address_of(page)["beside"] == urlencode({"model": "cart", "table": "moons", "depth": "2"})
    assert any("held-out the same, training the same · 0 of 400 rows" in text for text in said(page))
    on_page.Slider(page, "depth").set_value(6)
    whole(page.run())
    assert any("A: CART" in text and "depth 2" in text for text in said(page))
    assert any("points" in text and "rows are answered differently" in text for text in said(page))
    press(whole(page.run()), "Stop comparing")  # AppTest has lost the rail, which the move did not draw
    assert "beside" not in address_of(page)


def test_a_link_shows_another_learner_with_its_changes_by_hand_as_a():
    page = whole(
        open_tree(data="iris", depth="2", beside=urlencode({"model": "cart", "depth": "1", "edits": "Rg"}))
    )
    assert any("changed by hand" in text and "3 leaves" in text for text in said(page))


def test_a_link_of_nonsense_says_what_is_expected_and_shows_one_tree():
    for wrong in ("nonsense", "model=forest", "model=cart&depth=deep", "x" * 3000):
        page = whole(open_tree(data="iris", beside=wrong))
        assert any("Keep as A" in text for text in said(page))
        assert "#### A | B" not in said(page)


def test_the_difference_of_scores_is_said_in_points_or_of_r2():
    assert "held-out +2.5 points" in two_comparison.difference_line({"held-out": 0.025}, True, 3, 10)
    assert "training the same" in two_comparison.difference_line({"training": 0.0}, True, 0, 10)
    assert "R² held-out -0.100" in two_comparison.difference_line({"held-out": -0.1}, False, 3, 10)


def test_a_model_of_values_has_the_usual_settings_where_none_are_given():
    target = samples.load("iris").target
    assert learners.model_of("cart", target, {"depth": 5}).value("depth") == 5
    assert learners.model_of("cart", target, {}).value("leaf") == Model("cart").value("leaf")
