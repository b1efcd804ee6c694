"""The film of the forests: its steps, its pictures, and forests that have none."""

import pytest

from pages.shared.forests.live import film
from tests.pages.forests.test_forests_page import open_forests
from tests.tools.on_page import engine, sent_to

__all__ = ["engine"]


@pytest.mark.parametrize("n_trees", [1, 2, 12, 13, 40, 101, 1000])
def test_a_film_of_forests_begins_with_one_tree_and_ends_with_all(n_trees):
    steps = film.steps(n_trees)
    assert (steps[0], steps[-1]) == (1, n_trees)
    assert steps == sorted(set(steps))
    assert len(steps) <= 24


def test_the_film_has_two_surfaces_of_each_forest_and_the_errors_at_every_step():
    page = open_forests(view="Film", a_trees="9", b_trees="5")
    player = sent_to(page, "espalier_player")[0]
    titles = [panel["title"] for panel in player["panels"]]
    assert titles[:2] == ["Forest A: average of its trees", "Forest A: the tree that joined last"]
    assert len(titles) == 5
    assert len(player["texts"]) == 9
    assert all(len(panel["frames"]) == len(panel["alts"]) == 9 for panel in player["panels"])
    assert player["texts"][4].startswith("5 of 9 trees. Error: A, out of bag ")
    average, newest = (player["panels"][i]["frames"] for i in (0, 1))
    assert average[0] == newest[0]  # the average of one tree
    assert player["panels"][2]["frames"][4] == player["panels"][2]["frames"][8]  # forest B has no more than five


def test_of_trees_that_are_added_up_there_is_no_film():
    page = open_forests(view="Film", a="gradient", a_trees="4", b_trees="4")
    assert any("Round by round" in caption.value for caption in page.caption)
    titles = [panel["title"] for panel in sent_to(page, "espalier_player")[0]["panels"]]
    assert not any("Forest A" in title for title in titles)
