"""Knowing when not to answer, in a real browser: a goal is set, a row is ticked, its story is told."""

import pytest

from tests.tools.in_browser import asks, eventually, insist, shows

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_a_goal_is_set_and_a_ticked_row_has_its_story_told(app, open_page):
    page = open_page(f"{app}/reliability?folds=3&m2=none&m3-depth=3&who=3")
    eventually(page, lambda: page.locator(".js-plotly-plot").count() == 1)
    insist(page, page.get_by_role("radio", name="cost least").click, asks(page, "goal=cost"))
    eventually(page, shows(page, "to ask about all"))
    page.get_by_role("tab", name="Who decides").click()
    table = page.locator('.st-key-figure-rows [data-testid="stDataFrame"]').first

    def tick():
        table.scroll_into_view_if_needed()
        table.click(position={"x": 18, "y": 54})

    insist(page, tick, asks(page, "row="))
    eventually(page, shows(page, "What would change the answer"))
    eventually(page, shows(page, "models on redrawn rows would say"))
    page.get_by_role("tab", name="Who decides").click()
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    saved = waiting.value.path().read_text(encoding="utf-8")
    assert saved.startswith("row,doubt,would say,in truth,right,why it is doubted,sepal length")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
