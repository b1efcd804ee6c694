"""Which tests run without options, and that what is left out runs with `--rest`."""

import doctest
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools import selection
from tests.tools.cases import case


class Item:
    """A test, as pytest lists it."""

    def __init__(self, name, marks=(), obj=None, at=0):
        self.parent, self.originalname, self.obj, self.at = "file", name, obj, at
        self._marks = {mark: SimpleNamespace(args=args) for mark, *args in marks}

    def get_closest_marker(self, name):
        return self._marks.get(name)


def examples(n):
    @settings(max_examples=n)
    @given(st.integers())
    def test(_number):
        pass

    return test


def listed():
    """A plain test, a slow one, one with twenty cases, of which five stay, and two that draw examples."""
    return [
        Item("plain"),
        Item("slow", [("slow",)]),
        *(Item("cases", [("few", 5)], at=i) for i in range(20)),
        Item("short", obj=examples(10)),
        Item("long", obj=examples(200)),
    ]


def chosen(*options):
    items, hook = listed(), SimpleNamespace(pytest_deselected=lambda items: None)
    config = SimpleNamespace(getoption=lambda name: name in options, hook=hook)
    selection.select(config, items)
    return items


def names(items):
    return {(item.originalname, item.at) for item in items}


def tried(items, name):
    (test,) = [item.obj for item in items if item.originalname == name]
    return getattr(test, selection.SETTINGS).max_examples


def test_a_run_without_options_and_one_of_the_rest_try_everything_once():
    default, rest = names(chosen()) - {("slow", 0)}, names(chosen(selection.REST))  # -m leaves out what is slow
    assert default | rest == names(listed())
    assert default & rest == {("long", 0)}  # whose examples are limited the first time


def test_of_many_cases_those_that_stay_are_spread_over_all():
    assert [item.at for item in chosen() if item.originalname == "cases"] == [0, 5, 10, 14, 19]


def test_of_the_seeds_of_tables_the_later_ones_are_left_out():
    names, (first, later) = selection.seeds(3, 10).args
    assert (names, first, later.values[0]) == ("seeds", range(3), range(3, 10))
    assert [mark.name for mark in later.marks] == ["slow"]


def test_a_run_without_options_tries_a_limited_number_of_examples_and_the_others_all_that_a_test_names():
    assert tried(chosen(), "long") == selection.EXAMPLES
    assert tried(chosen(), "short") == tried(chosen(selection.EVERY), "short") == 10
    assert tried(chosen(selection.REST), "long") == tried(chosen(selection.EVERY), "long") == 200


def test_every_test_runs_where_that_is_asked_for():
    assert names(chosen(selection.EVERY)) == names(listed())


def test_the_example_of_the_chosen_cases_gives_what_it_says():
    assert doctest.testmod(selection).failed == 0


def test_of_many_cases_in_one_test_the_one_that_fails_is_named():
    with pytest.raises(AssertionError) as failed, case("one half"):
        assert 1 / 2 == 0
    assert failed.value.__notes__ == ["one half"]
