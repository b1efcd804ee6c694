"""A split on categories on the tree page, and the warning where columns are chosen."""

from types import SimpleNamespace
from typing import Any

import pandas as pd

from espalier.data.columns.kinds import ColumnPlan, ColumnSummary
from pages.shared.data.draft import Draft
from pages.shared.data.table_editor import editor_frame
from tests.tools.on_page import engine, open_tree, whole

__all__ = ["engine"]


def test_a_split_on_categories_says_how_many_sets_there_are_and_which_are_tried():
    page = whole(open_tree(data="tic-tac-toe", depth="2"))
    told = [text.value for text in page.markdown]
    assert any("can be parted into two sets in 3 ways" in text for text in told)
    assert any("one category against the rest" in text for text in told)


def test_a_split_on_a_number_says_nothing_of_sets():
    page = whole(open_tree(data="iris"))
    assert not any("two sets" in text.value for text in page.markdown)


def test_a_column_of_many_categories_has_a_warning_where_its_kind_is_chosen():
    plans = (ColumnPlan("town", "category", (), "words"), ColumnPlan("size", "number", (), "numbers"))
    summaries = (ColumnSummary("town", 0, 30, (1,), "a, b"), ColumnSummary("size", 0, 30, (1,), "1, 2"))
    table: Any = SimpleNamespace(frame=pd.DataFrame({"town": range(200), "size": range(200)}))
    draft = Draft(1, b"", "t.csv", None, table, None, plans, summaries)
    notes = editor_frame(plans, draft)["note"].tolist()
    assert "by chance" in notes[0]
    assert notes[0].endswith("words")
    assert notes[1] == "numbers"
