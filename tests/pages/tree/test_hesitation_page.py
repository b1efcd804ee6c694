"""Figure 3 of Nalenz & Augustin (2021) as a page, without a browser."""

import math
import re

from pages.shared.tree import hesitation
from tests.tools import on_page
from tests.tools.on_page import open_page, sent_to, whole


def surfaces(page):
    return [sent["surface"] for sent in sent_to(page, "espalier_surface")]


def test_figure_3_is_one_click_from_the_gallery_and_a_wrong_width_in_a_link_to_it_is_noted():
    links = [link.proto for link in open_page("data", data="two-gaussians").get("page_link")]
    assert [link.page for link in links if link.label == "The paper's Figure 3"] == ["hesitation"]
    page = open_page("hesitation", k="wide")
    assert "k=wide" in page.warning[0].value
    assert "Back to your tree" in on_page.words_of(page)
    assert "What hesitation looks like" in on_page.words_of(on_page.open_tree(model="cultivated"))


def test_no_model_of_figure_3_is_much_better_than_the_best_border():
    widest = max(panel.accuracy for k in (0, "sqrt", 100) for panel in hesitation.panels(k))
    noise = math.sqrt(hesitation.BEST * (1 - hesitation.BEST) / hesitation.N_FRESH)
    assert 0.9 < widest < hesitation.BEST + 4 * noise


def test_dots_say_how_often_each_surface_is_right_in_their_order_and_the_page_follows_the_width():
    page = open_page("hesitation")
    soft, forest, sharp = hesitation.panels("sqrt")
    assert forest.accuracy > soft.accuracy > sharp.accuracy
    order = hesitation.accuracies([soft, forest, sharp]).alt
    assert re.fullmatch(r"Right on the new rows: a 94.7 %, b [\d.]+ %, c 91 %. The best border: 97 %.", order)
    assert order in on_page.pictures(page)[0]
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
