"""Links that say nonsense: every page opens, and never with a fault."""

import random

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.app import address
from tests.tools.on_page import APP, engine, whole
from tests.tools.selection import TIMES

__all__ = ["engine"]

PAGES = [
    "tree",
    "forests",
    "approximate",
    "questionnaire",
    "compare",
    "reliability",
    "stability",
    "data",
    "new_rows",
    "hesitation",
    "basics",
    "lessons",
]
NONSENSE = ["", " ", "-1", "nan", "inf", "1e309", "9" * 400, "٣", "none", "true", "[1]", "a,b", "1.0.0"]
NONSENSE += ["\u202e", "\0", "<b>", "`", "%00"]


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("draw", range(TIMES))
@pytest.mark.parametrize("place", PAGES)
def test_a_link_of_nonsense_opens_the_page_without_a_fault(place, draw, monkeypatch):
    keys, load = set(), address.load

    def noted(page, entries):
        keys.update(entry.key for entry in entries)
        return load(page, entries)

    monkeypatch.setattr(address, "load", noted)
    page = AppTest.from_file(APP, default_timeout=300)
    whole(page.switch_page(f"pages/{place}.py").run())
    assert keys
    monkeypatch.undo()  # from now on jobs are done
    chance = random.Random(f"{place} {draw}")
    for key in [*sorted(keys), "draft", "no such key"]:
        page.query_params[key] = chance.choice(NONSENSE)
    whole(page.run())
    page.query_params["data"] = chance.choice(NONSENSE)
    whole(page.run())
