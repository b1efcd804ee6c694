"""Comparing models in a real browser: they come one by one, a score is chosen, the table is taken home."""

import pytest

from tests.tools.in_browser import asks, eventually, insist, shows

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_models_are_compared_by_another_score_and_the_table_is_saved(app, open_page):
    page = open_page(f"{app}/compare?folds=3&m3=none")
    eventually(page, shows(page, "Row minus column"))
    eventually(page, lambda: page.locator(".js-plotly-plot").count() == 2)
    page.get_by_role("combobox", name="Compare by").fill("log loss")
    insist(page, lambda: page.keyboard.press("Enter"), asks(page, "by=log_loss"))
    eventually(page, shows(page, "differences in log loss"))
    page.get_by_text("Scores, size, time").click()
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    table = waiting.value.path().read_text(encoding="utf-8")
    assert table.startswith("model,folds,accuracy")
    assert [line.split(",")[0] for line in table.splitlines()[1:]] == ["CART", "Optimal", "Baseline"]
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("link", ["compare?folds=3&m2=baseline&m3=none&m4=none", "reliability?folds=3&m2=none"])
def test_on_a_phone_nothing_is_wider_than_the_screen(app, open_page, link):
    page = open_page(f"{app}/{link}")
    page.set_viewport_size({"width": 390, "height": 844})
    eventually(page, shows(page, "When it says 80 %"))
    eventually(page, lambda: not page.evaluate("document.documentElement.scrollWidth > innerWidth"))
