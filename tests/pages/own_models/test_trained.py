"""The rows that a person's own model was trained on, as the address has them."""

import numpy as np
import pytest

from espalier.data import filter_of, samples
from pages.shared.own_models import trained

IRIS = samples.load("iris")
DIGEST = "0123456789abcdef" * 2


def rows(text):
    found = trained.mask(IRIS, text)
    return None if found is None else int(found.sum())


def places(text):
    found = trained.mask(IRIS, text)
    assert found is not None
    return np.flatnonzero(found).tolist()


def test_words_stand_for_no_row_all_rows_and_not_known():
    assert [rows(text) for text in ("", "none", "all", "column", "file")] == [None, 0, 150, None, None]


def test_a_column_marks_rows():
    text = "species~in~setosa,virginica"
    assert trained.entry().read(text) == filter_of(text).text
    assert rows(text) == 100


def test_a_file_lists_rows_and_one_that_is_gone_leaves_them_unknown():
    trained.store().put(DIGEST, b"row\n1\n150")
    assert places(f"file-{DIGEST}") == [0, 149]
    assert rows("file-" + "f" * 32) is None


def test_a_model_that_was_trained_on_every_row_cannot_be_judged():
    assert "every row" in trained.why_not(IRIS, "all")
    assert not trained.fault(IRIS, "all")
    assert not any(trained.why_not(IRIS, text) for text in ("", "none", "species~in~setosa"))


def test_what_another_table_has_is_named():
    assert "mass" in trained.why_not(IRIS, "mass~le~2")
    trained.store().put(DIGEST, b"151")
    assert "1 to 150" in trained.why_not(IRIS, f"file-{DIGEST}").replace("\\", "")


@pytest.mark.parametrize("text", ["some", "file-1", "a~b"])
def test_other_texts_are_refused_with_what_is_meant(text):
    with pytest.raises(ValueError, match="none, all, a condition"):
        trained.entry().read(text)


def test_scores_say_which_rows_they_are_on():
    assert "may have been" in trained.judged_on(IRIS, "")
    assert "new to it" in trained.judged_on(IRIS, "none")
    assert trained.judged_on(IRIS, "species~in~setosa") == "the 100 of 150 rows that it was not trained on"
