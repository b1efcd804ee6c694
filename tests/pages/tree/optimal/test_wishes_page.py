"""The tree page finds a tree as wished among those as good; without a browser."""

from espalier.data import samples
from pages.shared.tree.as_good import wishes
from tests.pages.tree.test_optimal_page import is_searching, known, open_optimal, press, said, tree_id
from tests.tools.on_page import address_of, engine, run_again, whole

__all__ = ["engine"]

NAMES = [feature.name for feature in samples.load("iris").features]


def wish(page, **parts):
    """The page, with these parts of a wish chosen: columns by name."""
    for part in ("asked", "avoided"):
        if part in parts:
            columns = [NAMES.index(name) for name in parts[part]]
            page.multiselect(key=f"wish-{part}").set_value(columns)
    if "first" in parts:
        page.selectbox(key=wishes.FIRST).set_value(NAMES.index(parts["first"]))
    return whole(page.run())


def test_trees_with_one_column_and_without_another_are_counted_and_one_is_shown_above():
    page = open_optimal(data="iris", depth="2", slack="2")
    first, trees = tree_id(page), known(page).trees
    wish(page, asked=["sepal length"], avoided=["petal length"])
    found = wishes.WishedTrees(trees, wishes.Wish((0,), (2,)))
    assert found.n_unmet == 0
    assert f"**{found.n_trees} of {trees.n_trees} trees** are as you wish" in said(page)
    page.button(key="wish show").click()
    whole(page.run())
    assert address_of(page)["tree"] == "-1"
    assert tree_id(page) != first
    tree = page.session_state["last-tree"].tree
    assert 0 in tree.feature
    assert 2 not in tree.feature


def test_another_one_is_drawn_by_chance():
    page = open_optimal(data="iris", depth="2", slack="2")
    page.segmented_control(key=wishes.WHICH).set_value(wishes.CHANCE)
    whole(page.run())
    drawn = {wished_picture(page)}
    for _ in range(6):
        press(page, "Draw another")
        drawn.add(wished_picture(page))
    assert len(drawn) > 1


def wished_picture(page):
    """The picture before that of one's own tree, which is the last one."""
    return [html.value for html in page.get("html") if "data:image/svg+xml" in html.value][-2]


def test_a_wish_that_no_tree_fulfils_says_what_the_nearest_breaks_and_from_which_errors_on_it_is_possible():
    page = wish(open_optimal(data="iris", depth="2"), first="sepal width")
    [warning] = [box.value for box in page.warning]
    assert "none is as you wish" in warning
    assert "does not begin with **sepal width**" in warning
    least = known(page).trees.root.least[1]
    assert f"the best tree that does has {least} errors, that is" in warning
    assert "Nearest, with the fewest broken wishes: " in warning


def test_wishes_are_let_go_with_their_table():
    page = wish(open_optimal(data="iris", depth="2", slack="1"), avoided=["petal length"])
    page.selectbox(key="data-picker").set_value("wine")
    whole(page.run())
    while is_searching(page):
        run_again(page)
    assert page.multiselect(key=wishes.AVOIDED).value == []
