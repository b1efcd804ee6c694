"""Costs of errors and rates by group on Compare and Reliability, without a browser."""

import time

import pytest
from streamlit.testing.v1 import AppTest

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
    return next(one.value for one in page.dataframe if "cost of 100 rows ↓" in one.value.index)


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
