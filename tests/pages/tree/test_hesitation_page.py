"""Figure 3 of Nalenz & Augustin (2021) as a page, without a browser."""

import math

from streamlit.testing.v1 import AppTest

from pages.shared.tree import hesitation
from tests.tools import on_page
from tests.tools.on_page import APP, engine, sent_to, whole

__all__ = ["engine"]


def surfaces(page):
    return [sent["surface"] for sent in sent_to(page, "espalier_surface")]


def open_figure(**address):
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in address.items():
        page.query_params[key] = value
    page.switch_page("pages/hesitation.py")
    return whole(page.run())


def test_figure_3_shows_three_surfaces_and_follows_the_width():
    page = open_figure()
    soft, forest, sharp = surfaces(page)
    assert "cells" in soft
    assert "cells" in forest
    assert "boxes" in sharp
    on_page.Slider(page, "k").set_value(100)
    again = surfaces(whole(page.run()))
    assert page.query_params["k"] in ("100", ["100"])
    assert again[0]["id"] != soft["id"]
    assert again[1:] == [forest, sharp]


def test_figure_3_is_one_click_from_the_gallery():
    page = AppTest.from_file(APP, default_timeout=300)
    page.switch_page("pages/data.py")
    links = [link.proto for link in whole(page.run()).get("page_link")]
    assert [link.page for link in links if link.label == "The paper's Figure 3"] == ["hesitation"]


def test_no_model_of_figure_3_is_much_better_than_the_best_border():
    widest = max(panel.accuracy for k in (0, "sqrt", 100) for panel in hesitation.panels(k))
    noise = math.sqrt(hesitation.BEST * (1 - hesitation.BEST) / hesitation.N_FRESH)
    assert 0.9 < widest < hesitation.BEST + 4 * noise


def test_the_page_says_plainly_which_of_the_three_is_right_most_often():
    page = open_figure()
    soft, forest, sharp = hesitation.panels("sqrt")
    assert forest.accuracy > soft.accuracy > sharp.accuracy
    (said,) = [part.value for part in page.markdown if part.value.startswith("Right on the new rows")]
    assert said.index("**b**") < said.index("**a**") < said.index("**c**")
    assert "points more than **c**" in said


def test_soft_and_sharp_have_as_many_splits():
    soft, _, sharp = hesitation.panels("sqrt")
    assert all(panel.size.startswith("1 split") for panel in (soft, sharp))


def test_where_the_soft_split_is_right_less_often_the_page_says_that_too():
    soft, forest, sharp = hesitation.panels("sqrt")
    worse, alike = (soft._replace(accuracy=sharp.accuracy + lead) for lead in (-0.012, 0))
    assert "1.2 points less than **c**" in hesitation.verdict([worse, forest, sharp])
    assert "as accurate as **c**" in hesitation.verdict([alike, forest, sharp])


def test_the_lead_is_the_difference_of_the_numbers_beside_it():
    soft, forest, sharp = hesitation.panels("sqrt")
    pair = [soft._replace(accuracy=0.9474), forest, sharp._replace(accuracy=0.9096)]
    said = hesitation.verdict(pair)
    assert "**a** 94.7 %" in said
    assert "**c** 91 %" in said
    assert "3.7 points more" in said


def test_a_wrong_width_in_a_link_to_figure_3_is_noted():
    assert "k=wide" in open_figure(k="wide").warning[0].value
