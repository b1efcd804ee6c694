"""Compare subgroups on the Tree page: a column is chosen, each group has a card, and its rows can be worked on."""

from espalier.analysis.comparison.subgroups import compare_subgroups
from espalier.data import samples
from espalier.learners import CartRegressor
from espalier.views.theme import number
from pages.shared.app.frame import plain
from pages.shared.words.tree import subgroups as words
from tests.tools.on_page import address_of, engine, open_tree, until_grown, whole

__all__ = ["engine"]


def texts(page):
    return "\n".join(text.value for text in (*page.markdown, *page.caption, *page.info))


def test_groups_of_a_column_of_categories_have_trees_side_by_side():
    page = until_grown(whole(open_tree(data="monks-1", groups="jacket")))
    shown = texts(page)
    assert all(f"**jacket is {colour}**" in shown for colour in ("red", "yellow", "green", "blue"))
    assert words.why_not("one", 0) in shown  # of red
    assert words.headline(3, [], []) in shown
    page.button(key="work on jacket~in~blue").click()
    whole(page.run())
    assert address_of(page)["data"].endswith("jacket~in~blue")
    assert "groups" not in address_of(page)


def test_ranges_of_a_number_have_the_scores_of_the_library():
    page = until_grown(whole(open_tree(data="diabetes", depth="2", groups="age", ranges="2")))
    trees = compare_subgroups(CartRegressor(max_depth=2), samples.load("diabetes"), "age", n_ranges=2)
    shown = texts(page)
    for one in trees:
        assert one.judged is not None
        assert f"**{plain(one.group.rows.words)}**" in shown
        assert f"Own tree: **{number(one.judged.own.mean)}**" in shown
        assert f"Tree of all rows: **{number(one.judged.of_all.mean)}**" in shown
    assert address_of(page)["ranges"] == "2"


def test_the_target_and_unknown_columns_are_no_choice_and_a_link_to_them_says_so():
    page = whole(open_tree(data="iris", groups="species"))
    assert any(words.A_COLUMN in text.value for text in (*page.warning, *page.info, *page.caption, *page.markdown))
    assert "groups" not in address_of(page)
