"""A | B: a tree that is kept as A, or comes from a file, beside the one of the controls, with what differs."""

from urllib.parse import urlencode

import pytest

from espalier.data import samples
from espalier.export import to_json
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.learners.catalogue import Model
from espalier.predict import classes
from pages.shared.models import learners
from pages.shared.tree.two import comparison as two_comparison
from pages.shared.tree.two import kept
from tests.tools import on_page
from tests.tools.on_page import address_of, open_tree, press, whole, words_of


def says_both(page, first, second):
    """Whether a paragraph or a warning of the page says both."""
    return any(first in one.value and second in one.value for one in (*page.markdown, *page.warning))


def test_a_tree_is_kept_as_a_and_compared_with_what_the_controls_grow_next():
    page = press(whole(open_tree(data="moons", depth="2")), "Compare with…")
    assert address_of(page)["beside"] == urlencode({"model": "cart", "table": "moons", "depth": "2"})
    assert "held-out the same, training the same · 0 of 400 rows" in words_of(page)
    whole(on_page.Slider(page, "depth").set_value(6).run())
    assert says_both(page, "A: CART", "depth 2")
    assert says_both(page, "points", "rows are answered differently")
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


def test_the_difference_of_scores_is_said_in_points_or_of_r2_and_models_have_the_usual_settings():
    assert "held-out +2.5 points" in two_comparison.difference_line({"held-out": 0.025}, True, 3, 10)
    assert "training the same" in two_comparison.difference_line({"training": 0.0}, True, 0, 10)
    assert "R² held-out -0.100" in two_comparison.difference_line({"held-out": -0.1}, False, 3, 10)
    target = samples.load("iris").target
    assert learners.SETTINGS["cart"].model(target, {"depth": 5}).value("depth") == 5
    assert learners.SETTINGS["cart"].model(target, {}).value("leaf") == Model("cart").value("leaf")


IRIS = samples.load("iris")


def plain_words(page):
    return words_of(page).replace("\\", "")


def trained(depth):
    return CartClassifier(max_depth=depth).fit(IRIS.X, IRIS.y).tree_


def saved(**other):
    """A tree of depth 2 on all of iris, as its file."""
    features = [one._replace(name=other.get(one.name.replace(" ", "_"), one.name)) for one in IRIS.features]
    return to_json(trained(2), features, IRIS.target).encode()


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


def test_a_tree_from_a_file_is_a_and_columns_that_do_not_match_are_named():
    page = open_tree(data="iris", held="0", depth="2")
    page.session_state[kept.POPOVER] = True
    page = whole(page.run())
    whole(page.file_uploader(key=kept.UPLOAD).set_value(("march.json", saved(), "application/json")).run())
    assert "**A: march.json**" in plain_words(page)
    assert "Both trees give the same answer to 150 rows." in plain_words(page)
    assert address_of(page)["beside"].startswith("file=")
    other = kept.read(saved(petal_length="length of petal"))
    page.session_state[kept.FILES] = {other.digest: other}
    page.query_params["beside"] = urlencode({"file": other.digest, "name": "april.json"})
    whole(page.run())
    assert "The table has no column length of petal" in plain_words(page)
    page.query_params["beside"] = urlencode({"file": "0" * 16, "name": "gone.json"})
    whole(page.run())
    assert "gone.json, which is not in this session" in plain_words(page)


def test_a_file_that_is_no_tree_with_single_questions_is_refused_by_name():
    cultivated = CultivatedClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    for data, wrong in (
        (b"\xff\xfe", "no text"),
        (b"{", "not JSON"),
        (b'{"format": "other"}', "no tree from Espalier"),
        (to_json(cultivated, IRIS.features, IRIS.target).encode(), "no single questions"),
    ):
        with pytest.raises(ValueError, match=wrong):
            kept.read(data)
