"""The tab "Missing values": the ways are compared on the table at hand, as a job that can be stopped."""

import pytest

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.jobs.watch import WATCHED
from pages.shared.tree.missing import removing
from pages.shared.words.tree import missing as words
from tests.tools.on_page import address_of, engine, open_tree, until_grown, whole

__all__ = ["engine"]

TAB = {"tab": "Missing values", "removals": "5"}


def missing_page(**address):
    return until_grown(whole(open_tree(**({"data": "iris"} | TAB | address))))


def says(page, text):
    return any(text in one.value for one in [*page.markdown, *page.caption, *page.info])


def job_key(page):
    return next(key for key in page.session_state[WATCHED] if key.startswith("gaps"))


def test_the_tab_says_which_way_errs_least():
    page = missing_page()
    assert says(page, "With 50 % of the values removed, the error is least for")
    assert says(page, "30 % of the rows that are held out")
    assert address_of(page) == {"data": "iris", **TAB}


def test_a_number_and_a_table_without_held_out_rows_are_compared_too():
    page = missing_page(data="sine", held="0")
    assert says(page, "the mean squared error, on the 30 % of the rows")
    assert says(page, words.ONE_COLUMN)


def test_gain_ratio_is_compared_in_three_ways_with_the_reason():
    assert says(missing_page(criterion="gain_ratio"), words.NO_SURROGATES)


def test_the_way_of_the_tree_itself_changes_nothing():
    assert job_key(missing_page(missing="surrogate")) == job_key(missing_page())


def test_more_repeats_are_another_job():
    page = missing_page()
    before = job_key(page)
    page.segmented_control(key=removing.REPEATS).set_value("10")
    whole(page.run())
    assert job_key(page) != before
    assert "removals" not in address_of(page)  # the usual number


def test_after_a_stop_the_repeats_that_are_whole_are_shown_and_it_can_go_on():
    page = missing_page(seed="7")
    key = job_key(page)
    outcome = RUNNER.outcome(key)
    assert outcome is not None
    found = outcome.value
    RUNNER.keep(key, Outcome(found._replace(errors=found.errors[:, :, :2]), is_stopped=True))
    whole(page.run())
    assert says(page, words.STOPPED)
    assert says(page, "2 of 5 repeats are done.")
    next(button for button in page.button if button.label == "Go on").click()
    page = until_grown(whole(page.run()))
    assert not says(page, words.STOPPED)


def test_much_work_is_begun_only_when_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(removing, "LARGE", 1)
    page = missing_page(data="wine", seed="3")
    assert not says(page, "the error is least for")
    next(button for button in page.button if button.label == words.BEGIN).click()
    assert says(until_grown(whole(page.run())), "the error is least for")


def test_what_cannot_be_held_out_is_an_error_in_words():
    few = samples.load("iris")
    few = few._replace(X=few.X[::75], y=few.y[::75])
    trial = removing.RemovalJob(few, Model("cart"), removing.Removals(1, HeldOut(30)))
    with pytest.raises(ValueError, match="come to none"):
        trial.tasks()


@pytest.mark.parametrize("model", ["cultivated", "optimal"])
def test_other_learners_have_no_such_tab(model):
    page = until_grown(whole(open_tree(data="iris", model=model, **TAB)))
    assert not [one for one in page.segmented_control if one.key == removing.REPEATS]
