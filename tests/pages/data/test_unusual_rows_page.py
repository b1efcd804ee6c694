"""Unusual rows on the Data page: scores, the rows with the highest, and the row that a person chooses."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import Feature, make_dataset, samples
from espalier.learners import IsolationForest
from espalier.paths import APP
from espalier.progress import Progress
from pages.shared.data import library
from pages.shared.unusual import controls
from pages.shared.unusual.scoring import IsolationJob
from tests.tools.on_page import address_of, engine, sent_to, until_grown, whole

__all__ = ["engine"]


def open_rows(**address):
    """The tab at this address, with all rows scored."""
    page = AppTest.from_file(str(APP / "app.py"), default_timeout=120)
    page.switch_page("pages/data.py")
    for key, value in ({"tab": "Unusual rows", "isolation-trees": "20"} | address).items():
        page.query_params[key] = value
    return until_grown(whole(page.run()))


def expected(data, **parameters):
    model = IsolationForest(n_estimators=20, random_state=0, categorical_features=data.categorical)
    return -model.set_params(**parameters).fit(data.X).score_samples(data.X)


def rows_table(page):
    return page.dataframe[-1].value


def line(page):
    return "".join(sent_to(page, "espalier_line")[-1]["line"])


def test_rows_stand_by_their_scores_with_the_columns_that_set_them_apart():
    score = expected(samples.load("iris"))
    table = rows_table(open_rows())
    best = np.argsort(-score, kind="stable")[:100]
    assert table["row"].tolist() == (best + 1).tolist()
    assert table["score"].tolist() == score[best].tolist()
    assert table["unusual"].tolist().count(True) == 8  # 5 % of 150 rows
    assert table["set apart by"].str.contains(r"(?:sepal|petal) (?:length|width) \d").iloc[:20].all()


def test_the_share_of_unusual_rows_changes_no_score():
    page = open_rows()
    before = rows_table(page)
    page.number_input(key=controls.SHARE).set_value(10.0)
    after = rows_table(until_grown(whole(page.run())))
    assert after["score"].tolist() == before["score"].tolist()
    assert after["unusual"].tolist().count(True) == 15
    assert address_of(page)["unusual-share"] == "10"


def test_a_link_chooses_a_row_and_says_why_it_is_unusual():
    page = open_rows(row="42", **{"isolation-trees": "100"})
    assert line(page).startswith("Row 42 has the score 0.6")
    assert "unusual, set apart by sepal width" in line(page)
    (surface,) = sent_to(page, "espalier_surface")
    assert surface["surface"]["target"] == "score"
    assert len(surface["surface"]["axes"]) == 2


def test_words_and_missing_values_and_columns_named_as_the_pages_own_are_taken():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=60), rng.integers(0, 3, 60)])
    X[::7] = np.nan
    features = [Feature("score"), Feature("unusual", "category", ("a", "b", "c"))]
    data = make_dataset("odd names", X, features, rng.normal(size=60), Feature("row"))
    library.store().put(data)
    page = open_rows(data=data.digest)
    assert {"score", "unusual", "score (column)", "unusual (column)"} <= set(rows_table(page).columns)


def test_a_job_that_is_stopped_has_no_scores():
    data = samples.load("iris")
    job = IsolationJob(data, 10, 0)
    progress = Progress()
    progress.stop()
    assert job(progress) is None
    assert job._replace(seed=1).key != job.key


@pytest.mark.parametrize("value", ["0", "80", "nan"])
def test_a_share_beyond_its_limits_is_not_taken(value):
    page = open_rows(**{"unusual-share": value})
    assert 0.1 <= float(page.number_input(key=controls.SHARE).value or 0.0) <= 50.0
