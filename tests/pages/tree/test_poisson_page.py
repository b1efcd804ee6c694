"""CART by Poisson deviance on the Tree page, and the sentence where targets are not for it."""

import numpy as np

from espalier.data import Feature, make_dataset
from pages.shared.data import library
from tests.tools.on_page import engine, metric, open_tree, sent_to, until_grown, whole

__all__ = ["engine"]  # a fixture


def counts(shift=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    data = make_dataset(
        "counts", X, [Feature("a"), Feature("b")], rng.poisson(np.exp(X[:, 0])) + shift, Feature("n")
    )
    library.store().put(data)
    return data


def test_a_tree_of_counts_grows_by_poisson_deviance_with_its_curve():
    page = until_grown(whole(open_tree(data=counts().digest, criterion="poisson", depth="2", node="1")))
    assert metric(page, "leaves") == "4"
    assert "poisson" in str(sent_to(page, "espalier_tree"))


def test_the_scores_of_a_tree_of_counts_have_the_deviance_explained():
    page = open_tree(data=counts().digest, criterion="poisson", depth="2")
    page.session_state["scores"] = True
    tables = [frame.value for frame in whole(page.run()).dataframe]
    rows = next(table.index for table in tables if "R² ↑" in table.index)
    assert "D², Poisson ↑" in rows
    assert "D², absolute error ↑" not in rows


def test_negative_targets_are_refused_by_a_sentence_that_names_the_row():
    data = counts(-1.0)
    row = int(np.argmax(data.y < 0)) + 1
    page = whole(open_tree(data=data.digest, criterion="poisson"))
    assert any(f"is −1 in row {row}." in info.value for info in page.info)
