"""What differs between A and B stands below them: of settings, of rows, and of a tree from a file."""

from urllib.parse import urlencode

import pytest

from espalier.data import samples
from espalier.export import to_json
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.predict import classes
from pages.shared.tree.two import kept
from tests.tools.on_page import address_of, engine, open_tree, whole

__all__ = ["engine"]

IRIS = samples.load("iris")


def said(page):
    return " ".join(text.value for text in (*page.markdown, *page.caption, *page.info, *page.error)).replace(
        "\\", ""
    )


def trained(depth):
    return CartClassifier(max_depth=depth).fit(IRIS.X, IRIS.y).tree_


def saved(**other):
    """A tree of depth 2 on all of iris, as its file."""
    features = [one._replace(name=other.get(one.name.replace(" ", "_"), one.name)) for one in IRIS.features]
    return to_json(trained(2), features, IRIS.target).encode()


def test_the_difference_of_two_depths_is_told_drawn_and_listed_by_its_rows():
    beside = urlencode({"model": "cart", "table": "iris", "depth": "2"})
    page = whole(open_tree(data="iris", held="0", depth="4", row="71", beside=beside))
    assert "2 the same" in said(page)
    assert "only in B" in said(page)
    table = next(one.value for one in page.dataframe if "A says" in one.value)
    expected = (classes(trained(2), IRIS.X) != classes(trained(4), IRIS.X)).sum()
    assert len(table) == expected > 0
    pictures = [
        one.proto.body for one in page.get("html") if "the splits" in one.proto.body or "alt=" in one.proto.body
    ]
    assert any("Tree A" in one for one in pictures)
    assert any("Tree B" in one for one in pictures)


def test_a_kept_tree_stays_on_its_rows_when_the_filter_changes():
    page = whole(open_tree(data="iris~where~petal length~gt~2", depth="3", beside=urlencode(
        {"model": "cart", "table": "iris", "depth": "3"}
    )))  # fmt: skip
    assert "on Iris flowers (150 rows)" in said(page)
    assert "##### What differs" in said(page)


def test_a_tree_from_a_file_is_a_and_columns_that_do_not_match_are_named():
    page = open_tree(data="iris", held="0", depth="2")
    page.session_state[kept.POPOVER] = True
    page = whole(page.run())
    page.file_uploader(key=kept.UPLOAD).set_value(("march.json", saved(), "application/json"))
    whole(page.run())
    assert "**A: march.json**" in said(page)
    assert "Both trees give the same answer to 150 rows." in said(page)
    assert address_of(page)["beside"].startswith("file=")
    other = kept.read(saved(petal_length="length of petal"))
    page.session_state[kept.FILES] = {other.digest: other}
    page.query_params["beside"] = urlencode({"file": other.digest, "name": "april.json"})
    whole(page.run())
    assert "The table has no column length of petal" in said(page)
    page.query_params["beside"] = urlencode({"file": "0" * 16, "name": "gone.json"})
    whole(page.run())
    assert "gone.json, which is not in this session" in said(page)


def test_a_file_that_is_no_tree_with_single_questions_is_refused_by_name():
    cultivated = CultivatedClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    for data, wrong in (
        (b"\xff\xfe", "no text"),
        (b"{", "not JSON"),
        (b'{"format": "other"}', "no tree from Espalier"),
        (to_json(cultivated, IRIS.features, IRIS.target).encode(), "no single questions"),
    ):
        with pytest.raises(ValueError, match=wrong):
            kept.read(data)
