"""Tables of many columns on the pages: nothing is drawn or sent once for each, and axes can be read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.caching import hashing
from streamlit.testing.v1 import AppTest

from espalier.data import Feature, make_dataset
from espalier.data.contents import contents
from espalier.display import tables
from espalier.display.tables import MOST_FEATURES, left_off, listed, on_page
from espalier.display.tree import impurity_curve as curve_views
from pages.shared.canvas.axis_choice import MOST_LEVELS, legible
from pages.shared.data import draft as drafts
from pages.shared.data import library
from pages.shared.tree import explorer as tree_explorer
from tests.tools.on_page import APP, metric, open_tree, sent_to, whole

WIDTH = 1_500
TOLD = 1_201  # position of the only column that tells the classes apart


@pytest.fixture(scope="module")
def genes():
    """60 samples of two tissues; one gene in the middle tells them apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, WIDTH)).round(3)
    y = (X[:, TOLD] > 0).astype(int)
    X[:, TOLD] += np.where(y, 3, -3)
    names = [Feature(f"gene {i}") for i in range(WIDTH)]
    return make_dataset("genes", X, names, y, Feature("tissue", "category", ("normal", "tumour")))


def tree_of_genes(genes, **address):
    library.store().put(genes)
    return whole(open_tree(data=genes.digest, **address))


def test_a_tree_of_many_columns_is_shown_and_one_curve_is_drawn(genes, monkeypatch):
    drawn, look = [], curve_views.curve_inputs
    monkeypatch.setattr(curve_views, "curve_inputs", lambda *args: drawn.append(args) or look(*args))
    page = tree_of_genes(genes)
    assert metric(page, "leaves") == "2"
    assert {curve.feature for *_, curve, _ in drawn} == {TOLD}
    best = page.dataframe[0].value
    assert len(best) == WIDTH
    assert best["column"].iloc[0] == f"✓ gene {TOLD}"
    gains = best["gain"].tolist()
    assert gains == sorted(gains, reverse=True)


def test_rows_are_listed_with_the_columns_that_the_tree_asks_about_first_or_those_that_are_wished(genes):
    page = tree_of_genes(genes, tab="Rows")
    shown = page.dataframe[0].value
    assert shown.columns.tolist()[:4] == ["row", "held out", "target: tissue", f"gene {TOLD}"]
    assert shown.shape[1] == 3 + MOST_FEATURES
    assert any(f"Of 1,500 columns {MOST_FEATURES} are shown" in caption.value for caption in page.caption)
    table = listed(genes, np.arange(3), features=[7, 2])
    assert table.columns.tolist() == ["row", "target: tissue", "gene 7", "gene 2"]
    assert table["gene 7"].tolist() == genes.X[:3, 7].tolist()


@pytest.fixture(scope="module")
def read():
    """A file of as many columns, read."""
    rows = [",".join(f"{(i * j) % 17 / 4}" for j in range(1, WIDTH)) + f",{'xy'[i % 2]}" for i in range(20)]
    header = ",".join([*(f"g{j}" for j in range(1, WIDTH)), "kind"])
    return contents("\n".join([header, *rows, ""]).encode(), "genes.csv")


def test_the_data_page_sends_a_part_of_the_columns_and_hashes_no_record_of_one(read, monkeypatch):
    hashed, to_bytes = [], hashing._CacheFuncHasher._to_bytes
    monkeypatch.setattr(
        hashing._CacheFuncHasher, "_to_bytes", lambda self, obj: hashed.append(type(obj)) or to_bytes(self, obj)
    )
    page = AppTest.from_file(APP, default_timeout=300)
    page.switch_page("pages/data.py")
    table, plans = read.table, read.plans
    page.session_state[drafts.KEY] = drafts.Draft(
        1, b"", "genes.csv", table.options, table, None, plans, read.summaries, "kind", "", plans
    )
    whole(page.run())
    assert page.dataframe[-1].value.shape == (20, MOST_FEATURES)
    assert any(f"Of 1,500 columns {MOST_FEATURES} are shown" in caption.value for caption in page.caption)
    assert len(hashed) < WIDTH
    page.button(key="use").click()
    whole(page.run())
    assert metric(page, "leaves")


@given(st.integers(1, 400), st.lists(st.integers(0, 399), max_size=300), st.integers(1, 120))
def test_a_table_on_a_page_has_all_features_or_as_many_as_it_may_those_wanted_first(n, wanted, most):
    first = [f for f in wanted if f < n]
    old, tables.MOST_FEATURES = tables.MOST_FEATURES, most
    try:
        shown, words = on_page(n, first), left_off(n)
    finally:
        tables.MOST_FEATURES = old
    assert len(set(shown)) == len(shown) == min(n, most)
    assert bool(words) == (n > most)
    if n > most:
        distinct = list(dict.fromkeys(first))
        assert shown[: len(distinct)] == distinct[:most]
    else:
        assert shown == list(range(n))


CITY = Feature("city", "category", tuple(f"city {i}" for i in range(64)))
FEW = Feature("colour", "category", tuple("abc"))
FULL = Feature("month", "category", tuple(f"month {i}" for i in range(MOST_LEVELS)))
AGE, PAY = Feature("age"), Feature("pay")


def test_a_column_of_many_categories_comes_last_where_two_others_are_asked_and_labels_of_axes_differ():
    assert legible([CITY, AGE, PAY], [0, 2, 1], {0, 1, 2}) == [2, 1, 0]
    assert legible([CITY, AGE, FEW], [0, 2, 1], {0, 1, 2}) == [2, 1, 0]
    assert legible([CITY, AGE, PAY], [0, 2, 1], {0, 2}) == [0, 2, 1]
    assert legible([CITY, CITY, AGE], [1, 0, 2], {0, 1, 2}) == [1, 0, 2]
    assert legible([AGE, FEW, FULL, PAY], [2, 1, 0, 3], {0, 1, 2, 3}) == [2, 1, 0, 3]
    by_itself = tree_explorer.axis_label("↕", "age", is_pinned=False)
    assert by_itself != "↕ age"
    assert by_itself.split() == ["↕", "age"]  # though it looks the same


def test_what_a_tree_asks_beside_the_plane_is_averaged_unless_a_link_holds_it_and_is_exact_where_that_is_nothing():
    averaged = sent_to(whole(open_tree(data="breast-cancer", node="3")), "espalier_surface")[0]
    assert averaged["surface"]["averaged"] == 569
    assert averaged["lit"]["node"] == 3
    held = sent_to(whole(open_tree(data="breast-cancer", others="typical")), "espalier_surface")[0]["surface"]
    assert held["held"]
    assert "averaged" not in held
    surface = sent_to(whole(open_tree(data="moons")), "espalier_surface")[0]["surface"]
    assert "boxes" in surface
    assert [axis["name"] for axis in surface["axes"]] == ["x1", "x2"]
