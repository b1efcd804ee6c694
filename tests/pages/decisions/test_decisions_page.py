"""Costs of errors and rates by group on Compare and Reliability, without a browser."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.decisions import section
from tests.tools.on_page import APP, address_of, engine, whole

__all__ = ["engine"]

QUICK = {"data": "monks-1", "folds": "3", "m1": "cart", "m1-depth": "2", "m2": "none", "m3": "none", "m4": "none"}


def open_page(name, **address):
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in (QUICK | address).items():
        page.query_params[key] = value
    page.switch_page(f"pages/{name}.py").run()
    while page.get("progress"):
        time.sleep(0.1)
        page.run()
    return whole(page)


def text(page):
    return " ".join(one.value for one in [*page.markdown, *page.caption])


def rates(page):
    """The table of rates as it is read: without the backslashes that keep names from being Markdown."""
    table = next(one.value for one in page.table if "cost of 100 rows ↓" in one.value.index)
    return table.rename(read, axis=0).rename(read, axis=1).map(read)


def read(text):
    return text.replace("\\", "")


@pytest.mark.parametrize("name", ["compare", "reliability"])
def test_decisions_follow_the_costs_of_the_link_and_stand_in_groups(name):
    page = open_page(name, costly="yes", times="10", groups="jacket")
    assert "Missing “yes” costs 10 times as much" in text(page)
    assert rates(page).loc["found, of those that are “yes” ↑", "CART"].startswith("100 %")
    assert [len(one.value) for one in page.dataframe if "group" in one.value] == [4]
    assert {"costly": "yes", "times": "10", "groups": "jacket"}.items() <= address_of(page).items()


def test_where_every_error_is_alike_the_class_that_counts_has_the_curve_and_a_number_has_no_costs():
    page = open_page("reliability")
    assert "Every error costs the same" in text(page)
    assert page.selectbox(key="costly").value == ""
    page = open_page("reliability", data="diabetes", groups="")
    assert "What errors cost" not in text(page)


def opened(name, **address):
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params.update(address)
    page.session_state["decisions-of-tree"] = True
    page.switch_page(f"pages/{name}.py")
    return whole(page.run())


def test_the_tree_page_decides_the_rows_held_out_by_the_costs_that_the_tree_grew_by():
    page = opened("tree", data="monks-1", costly="yes", times="10", depth="2")
    assert "Missing “yes” costs 10 times as much" in text(page)
    assert rates(page).loc["found, of those that are “yes” ↑", "The tree"].startswith("100 %")
    page = opened("tree", data="monks-1", threshold="90", depth="2")
    assert "from a share of **90 %** on" in text(page)
    assert address_of(page)["threshold"] == "90"


def test_the_tree_page_has_its_rates_by_group_and_its_link_has_the_column():
    page = opened("tree", data="iris", depth="2", **{"rate-groups": "petal length", "group-cuts": "2.5, 5"})
    assert groups(page) == ["petal length ≤ 2.5", "2.5 < petal length ≤ 5", "petal length > 5"]
    assert address_of(page)["rate-groups"] == "petal length"
    table = next(one.value for one in page.dataframe if "group" in one.value)
    target = opened("tree", data="iris", depth="2", **{"rate-groups": "species"})
    assert not [one for one in target.dataframe if "group" in one.value]
    assert 0 < sum(map(int, table["rows"])) < 150  # the rows held out alone


def test_the_questionnaire_says_what_to_do_by_the_costs():
    answers = {"data": "iris", "model": "cart", "depth": "1", "said": "2v5.0_3v1.6"}
    page = opened("questionnaire", costly="virginica", times="20", **answers)
    assert "here act as for **virginica**" in text(page)
    assert "cost of 100 rows ↓" in rates(page).index
    assert "here act as for" not in text(opened("questionnaire", **answers))


def test_a_tree_of_numbers_has_no_decisions():
    assert not [one for one in opened("tree", data="diabetes").expander if one.label.startswith("Decisions")]


def groups(page):
    return next(one.value["group"].tolist() for one in page.dataframe if "group" in one.value)


def test_a_column_of_numbers_is_cut_at_its_quartiles_or_where_the_link_says():
    link = {"data": "iris", "m1-depth": "2", "folds": "3", "groups": "petal length"}
    assert len(groups(open_page("compare", **link))) == 4
    page = open_page("compare", **link, **{"group-cuts": "5,2.5"})
    assert groups(page) == ["petal length ≤ 2.5", "2.5 < petal length ≤ 5", "petal length > 5"]
    assert address_of(page)["group-cuts"] == "2.5, 5"


@pytest.mark.parametrize("text", ["old", "1,nan", "1,2,3,4,5,6,7,8"])
def test_what_is_no_list_of_numbers_cuts_no_column(text):
    with pytest.raises(ValueError, match="up to seven numbers"):
        section.cuts_of(text)
    assert section.cuts_of(" 65; 18,18 ") == (18.0, 65.0)
