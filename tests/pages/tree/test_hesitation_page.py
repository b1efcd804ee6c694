"""Figure 3 of Nalenz & Augustin (2021) as a page, without a browser."""

import math

from pages.shared.tree import hesitation
from tests.tools import on_page
from tests.tools.on_page import open_page, sent_to, whole


def surfaces(page):
    return [sent["surface"] for sent in sent_to(page, "espalier_surface")]


def test_figure_3_is_one_click_from_the_gallery_and_a_wrong_width_in_a_link_to_it_is_noted():
    links = [link.proto for link in open_page("data").get("page_link")]
    assert [link.page for link in links if link.label == "The paper's Figure 3"] == ["hesitation"]
    assert "k=wide" in open_page("hesitation", k="wide").warning[0].value


def test_no_model_of_figure_3_is_much_better_than_the_best_border():
    widest = max(panel.accuracy for k in (0, "sqrt", 100) for panel in hesitation.panels(k))
    noise = math.sqrt(hesitation.BEST * (1 - hesitation.BEST) / hesitation.N_FRESH)
    assert 0.9 < widest < hesitation.BEST + 4 * noise


def test_the_page_says_which_of_three_surfaces_is_right_most_often_and_follows_the_width():
    page = open_page("hesitation")
    soft, forest, sharp = hesitation.panels("sqrt")
    assert forest.accuracy > soft.accuracy > sharp.accuracy
    (said,) = [part.value for part in page.markdown if part.value.startswith("Right on the new rows")]
    assert said.index("**b**") < said.index("**a**") < said.index("**c**")
    assert "points more than **c**" in said
    assert all(panel.size.startswith("1 split") for panel in (soft, sharp))
    soft, forest, sharp = surfaces(page)
    assert "cells" in soft
    assert "cells" in forest
    assert "boxes" in sharp
    on_page.Slider(page, "k").set_value(100)
    again = surfaces(whole(page.run()))
    assert page.query_params["k"] in ("100", ["100"])
    assert again[0]["id"] != soft["id"]
    assert again[1:] == [forest, sharp]


def test_where_the_soft_split_is_right_less_often_the_page_says_so_and_leads_are_of_the_numbers_beside_them():
    soft, forest, sharp = hesitation.panels("sqrt")
    worse, alike = (soft._replace(accuracy=sharp.accuracy + lead) for lead in (-0.012, 0))
    assert "1.2 points less than **c**" in hesitation.verdict([worse, forest, sharp])
    assert "as accurate as **c**" in hesitation.verdict([alike, forest, sharp])
    pair = [soft._replace(accuracy=0.9474), forest, sharp._replace(accuracy=0.9096)]
    said = hesitation.verdict(pair)
    assert "**a** 94.7 %" in said
    assert "**c** 91 %" in said
    assert "3.7 points more" in said
