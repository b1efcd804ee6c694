"""What about the table in use misleads, on the Data page and, in a sentence, on the Tree page."""

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import HeldOut
from pages.shared.data import findings, library
from pages.shared.data.findings import CheckJob
from pages.shared.jobs.run import RUNNER
from tests.findings.planted import known_after, noise, planned, table, with_column
from tests.tools.on_page import APP, address_of, whole, words_of

HOLDOUT = HeldOut(30)


def leaky():
    one = noise()
    return with_column(one, one.y, names=["age", "pulse", "weight", "height", "code"])


@pytest.fixture
def page():
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page("pages/data.py")
    return app


def work_on(page, dataset):
    """Take a table into use that has been looked at already."""
    library.store().put(dataset)
    RUNNER.keep(CheckJob(dataset, HOLDOUT).key, checking_outcome(dataset))
    page.query_params["data"] = dataset.digest
    return page.run()


def checking_outcome(dataset):
    job = CheckJob(dataset, HOLDOUT)
    function, arguments, _ = job.tasks()[0]
    return findings.Outcome(job.gathered([function(*arguments)]))


def drawers(page):
    return [one.label for one in page.expander]


def test_the_list_says_what_was_found_and_its_button_leaves_the_column_out(page):
    work_on(page, leaky())
    assert not page.exception
    assert "What to look at first (1)" in drawers(page)
    page.session_state[findings.LIST] = True
    page.run()
    assert "“code” has one value for each class of “illness”." in words_of(page).replace("\\", "")
    next(button for button in page.button if button.label == "Leave it out").click()
    whole(page.run())
    left = library.find(address_of(page)["data"])
    assert left is not None
    assert left.X.shape[1] == 4
    assert not [label for label in drawers(page) if "look at first" in label]


def test_a_date_is_left_out_with_all_of_its_parts(page):
    data = planned(known_after("date"), "date")
    assert [f.name for f in data.features if f.moment] == ["ended", "ended (month)", "ended (weekday)"]
    work_on(page, data)
    page.session_state[findings.LIST] = True
    page.run()
    (button,) = [button for button in page.button if button.label == "Leave it out"]
    button.click()
    whole(page.run())
    left = library.find(address_of(page)["data"])
    assert left is not None
    assert [f.name for f in left.features] == ["age", "pulse"]


def test_nothing_is_drawn_where_nothing_was_found_and_the_tree_page_says_the_most_serious_once(page):
    one = noise()
    work_on(page, table(one.X, one.y))
    assert not [label for label in drawers(page) if "look at first" in label]
    assert not page.exception
    work_on(page, leaky())
    page.switch_page("pages/tree.py")
    page.query_params["data"] = leaky().digest
    whole(page.run())
    assert "These scores may mislead." in words_of(page).replace("\\", "")
    page.button(key="dismiss findings").click()
    page.run()
    assert "These scores may mislead." not in words_of(page).replace("\\", "")
