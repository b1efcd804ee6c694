"""Error against the share of values removed: dots, bars, names, and what the words say of chance."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.analysis.tree.missing import RemovalErrors
from espalier.views.tree.missing_curve import (
    MissingCurve,
    best_words,
    missing_alt,
    missing_curve,
    missing_table,
    repeats_words,
)

WAYS = ("side", "category", "impute", "surrogate")
MEANS = np.array([[0.1, 0.3], [0.1, 0.31], [0.12, 0.4], [0.1, 0.2]])


def curve(noise=0.01, n_repeats=4, is_share=True):
    steps = np.linspace(-noise, noise, n_repeats)
    turned = np.array([1, -1, 1, -1])[:, None, None]
    return MissingCurve(RemovalErrors(WAYS, (0.0, 0.5), MEANS[..., None] + turned * steps, 0.5), is_share)


def elements(drawn, name):
    return [e for e in ET.fromstring(drawn).iter() if e.tag.endswith("}" + name)]


@pytest.mark.parametrize("dark", [True, False])
def test_every_way_has_a_dot_for_every_share_and_its_name_at_the_end(dark):
    drawn = missing_curve(curve(), dark)
    dots = elements(drawn, "circle")
    assert len(dots) == 8
    assert len({dot.get("fill") for dot in dots}) == 4
    texts = [e.text for e in elements(drawn, "text")]
    assert "surrogate splits 20 %" in texts
    assert "own category 31 %" in texts


def test_bars_stand_around_the_dots_and_higher_errors_stand_higher():
    drawn = elements(missing_curve(curve(), False), "circle")
    y = np.array([float(dot.get("cy") or 0) for dot in drawn]).reshape(4, 2)
    assert (y[:, 0] > y[:, 1]).all()  # pixels count from above
    assert y[3, 1] > y[0, 1] > y[2, 1]
    assert len(elements(missing_curve(curve(), False), "path")) > len(
        elements(missing_curve(curve(n_repeats=1), False), "path")
    )


def test_the_words_say_which_way_errs_least_and_which_others_may_by_chance():
    assert best_words(curve()) == (
        "With 50 % of the values removed, the error is least for “By surrogate splits”: 20 %. "
        "All others err more, by over one standard error of the difference."
    )
    assert best_words(curve(noise=0.1)).endswith(
        "“To the better side” is within one standard error of it: the difference may be chance."
    )
    assert "“To the better side” and “As a category of their own” are within" in best_words(
        curve(noise=0.1)._replace(found=curve(noise=0.1).found._replace(errors=_noisy()))
    )
    assert best_words(curve(n_repeats=1)).endswith("One repeat does not tell whether that is chance.")


def _noisy():
    return MEANS[..., None] + np.array([[[-0.2, 0.2]], [[0.2, -0.2]], [[0.01, 0.0]], [[0.0, 0.0]]])


def test_the_picture_is_told_in_sentences():
    words = missing_alt(curve())
    assert words.startswith("Errors with 0 % and 50 % of the values removed: better side 10 % and 30 %;")
    assert best_words(curve()) in words
    assert repeats_words(curve()) == "Mean of 4 repeats."
    assert repeats_words(curve(n_repeats=1)) == "Mean of 1 repeat."


def test_errors_of_numbers_are_written_as_numbers():
    assert "better side 0.3" in missing_curve(curve(is_share=False), False)
    assert not re.search(r"error is least[^.]*%", best_words(curve(is_share=False)).split("removed,")[1])


def test_the_table_has_a_row_per_share_and_no_standard_errors_of_one_repeat():
    table = missing_table(curve())
    assert table["values removed"].tolist() == [0.0, 0.5]
    assert table["surrogate splits error"].tolist() == pytest.approx([0.1, 0.2])
    assert "surrogate splits standard error" in table
    assert "surrogate splits standard error" not in missing_table(curve(n_repeats=1))


def test_equal_errors_and_a_single_share_can_be_drawn():
    flat = RemovalErrors(WAYS, (0.2,), np.zeros((4, 1, 3)), 0.5)
    assert len(elements(missing_curve(MissingCurve(flat, True), False), "circle")) == 4
