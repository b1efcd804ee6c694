"""Costs of errors and rates by group on Compare and Reliability, without a browser."""

from tests.tools.on_page import address_of, begin_page, open_page, words_of

QUICK = {"data": "monks-1", "folds": "3", "m1": "cart", "m1-depth": "2", "m2": "none", "m3": "none", "m4": "none"}


def shown(name, **address):
    return open_page(name, **(QUICK | address))


def opened(name, **address):
    return begin_page(name, {"decisions-of-tree": True}, **address)


def rates(page):
    """The table of rates as it is read: without the backslashes that keep names from being Markdown."""
    table = next(one.value for one in page.table if "cost of 100 rows ↓" in one.value.index)
    return table.rename(read, axis=0).rename(read, axis=1).map(read)


def read(text):
    return text.replace("\\", "")


def test_decisions_follow_the_costs_of_the_link_and_stand_in_groups():
    for name in ["compare", "reliability"]:
        page = shown(name, costly="yes", times="10", groups="jacket")
        assert "Missing “yes” costs 10 times as much" in words_of(page)
        assert rates(page).loc["found, of those that are “yes” ↑", "CART"].startswith("100 %")
        assert [len(one.value) for one in page.dataframe if "group" in one.value] == [4]
        assert {"costly": "yes", "times": "10", "groups": "jacket"}.items() <= address_of(page).items()


def test_where_every_error_is_alike_the_class_that_counts_has_the_curve_and_a_number_has_no_costs():
    page = shown("reliability")
    assert "Every error costs the same" in words_of(page)
    assert page.selectbox(key="costly").value == ""
    page = shown("reliability", data="diabetes", groups="")
    assert "What errors cost" not in words_of(page)


def test_the_tree_page_decides_the_rows_held_out_by_the_costs_that_the_tree_grew_by():
    page = opened("tree", data="monks-1", costly="yes", times="10", depth="2")
    assert "Missing “yes” costs 10 times as much" in words_of(page)
    assert rates(page).loc["found, of those that are “yes” ↑", "The tree"].startswith("100 %")
    page = opened("tree", data="monks-1", threshold="90", depth="2")
    assert "from a share of **90 %** on" in words_of(page)
    assert address_of(page)["threshold"] == "90"


def test_the_tree_page_has_its_rates_by_group_where_there_are_classes_and_its_link_has_the_column():
    page = opened("tree", data="iris", depth="2", **{"rate-groups": "petal length"})
    assert len(groups(page)) == 4
    assert address_of(page)["rate-groups"] == "petal length"
    table = next(one.value for one in page.dataframe if "group" in one.value)
    target = opened("tree", data="iris", depth="2", **{"rate-groups": "species"})
    assert not [one for one in target.dataframe if "group" in one.value]
    assert 0 < sum(map(int, table["rows"])) < 150  # the rows held out alone
    assert not [one for one in opened("tree", data="diabetes").expander if one.label == "What errors cost"]


def test_the_questionnaire_says_what_to_do_by_the_costs():
    answers = {"data": "iris", "model": "cart", "depth": "1", "said": "2v5.0_3v1.6"}
    page = opened("questionnaire", costly="virginica", times="20", **answers)
    assert "act as for **virginica**" in words_of(page)
    assert "By what errors cost, act" not in words_of(opened("questionnaire", **answers))


def groups(page):
    return next(one.value["group"].tolist() for one in page.dataframe if "group" in one.value)


def test_a_column_of_numbers_is_cut_at_its_quartiles_and_a_link_with_other_cuts_says_so():
    link = {"data": "iris", "m1-depth": "2", "folds": "3", "groups": "petal length"}
    assert len(groups(shown("compare", **link))) == 4
    page = shown("compare", **link, **{"group-cuts": "5,2.5"})
    assert len(groups(page)) == 4
    assert any("cut at its quartiles" in one.value for one in page.warning)
    assert "group-cuts" not in address_of(page)
