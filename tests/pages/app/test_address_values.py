"""What an address says by chance is a value or refused, and a value is written so that it is read again."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from espalier.data import samples
from pages.shared.app import address
from pages.shared.app.links import readers
from pages.shared.app.links.readers import OutOfRange
from pages.shared.approximation import controls as approximation
from pages.shared.canvas import axis_choice
from pages.shared.comparison import folds
from pages.shared.forests import plane, trees
from pages.shared.models import forests, learners, rail
from pages.shared.reliability import experts, goal, models
from pages.shared.stability import chosen_tree, controls, slots, thresholds_tab
from pages.shared.tree import explorer, hesitation, inspector, near_optimal, selection

MODULES = (
    approximation, axis_choice, plane, trees, forests, experts, goal, chosen_tree, controls,
    thresholds_tab, explorer, hesitation, inspector, near_optimal, selection,
)  # fmt: skip
TARGET = samples.load("iris").target
ENTRIES = {
    entry.key: entry
    for module in MODULES
    for entry in (*module.url_entries(), *explorer.axes(), *rail.held_out_entries(), *learners.url_entries(TARGET))
} | {entry.key: entry for module in (folds, models, slots) for entry in module.url_entries(samples.load("iris"))}
TEXTS = st.one_of(
    st.text(max_size=30),
    st.text("0123456789.-+eE_ ,naif∞٣", max_size=30),
    st.integers().map(str),
    st.floats().map(str),
    st.integers(0, 9).map(lambda n: f"{n:040d}"),
)


@given(st.sampled_from(sorted(ENTRIES)), TEXTS)
@example("held", "9" * 5_000)
@example("held", "0" * 5_000 + "30")
@example("ap-alpha", "0.123456789")
def test_any_text_is_a_value_that_is_read_again_or_refused_by_a_valueerror(key, text):
    entry = ENTRIES[key]
    try:
        value = entry.read(text)
    except ValueError:  # which the page says; any other error fails this test
        return
    assert entry.read(address.text_of(value)) == value


@given(st.integers(0, 10**25), st.integers(0, 30))
@example(5_999, 20)
def test_a_whole_number_is_within_its_limits_however_many_zeros_precede_it(n, zeros):
    text = "0" * zeros + str(n)
    if n <= 100:
        assert readers.whole(0, 100)(text) == n
    else:
        with pytest.raises(OutOfRange, match="a whole number from 0 to 100") as beyond:
            readers.whole(0, 100)(text)
        assert beyond.value.nearest == 100


LIMITS = re.compile(r"(whole )?number from (\S+) to (\S+)")


def limits_of(entry):
    """Limits of an entry's numbers, as its note names them, and the way beyond; empty where it takes none."""
    try:
        entry.read("no such value")
    except OutOfRange:
        raise AssertionError("a text that is no number is beyond no limit") from None
    except ValueError as refused:
        if named := LIMITS.search(str(refused)):
            number = int if named[1] else float
            return [(number(named[2]), -1), (number(named[3]), 1)]
    return []


NUMBERS = {key: entry for key, entry in ENTRIES.items() if limits_of(entry)}


def test_a_number_beyond_its_limits_is_refused_with_the_limit_next_to_it():
    for key, entry in NUMBERS.items():
        for limit, step in limits_of(entry):
            for text in (str(limit + step), str(step * 10**20), f"{step * 10**20}0000"):
                with pytest.raises(OutOfRange) as beyond:
                    entry.read(text)
                assert beyond.value.nearest == limit, key
                assert entry.read(address.text_of(beyond.value.nearest)) == limit, key


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "", "ten"])
def test_a_text_that_is_no_number_has_no_limit_next_to_it(text):
    for read in (readers.whole(1, 9), readers.word_or(["all"], readers.whole(1, 9)), readers.decimal(0.5, 9.5)):
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            read(text)
        assert not isinstance(refused.value, OutOfRange)
