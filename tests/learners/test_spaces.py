"""Each kind of model has settings to search, which its entry in the catalogue knows."""

import pytest

from espalier.learners.catalogue import KINDS, CommonTerms, Model, named
from espalier.learners.catalogue.spaces import SPACES, combinations, space_of


def test_every_kind_has_a_space():
    assert set(SPACES) == {kind.name for kind in KINDS}


def is_value(setting, value):
    options = {name for name, _ in setting.options}
    if value in options or (value is None and setting.no_number):
        return True
    return setting.is_number and setting.low <= value <= setting.high and isinstance(value, int | float)


@pytest.mark.parametrize("name", SPACES)
def test_the_values_of_a_space_are_values_of_its_settings(name):
    settings = {one.key: one for one in named(name).settings}
    for key, values in SPACES[name].items():
        assert all(is_value(settings[key], value) for value in values), key
        assert len(set(values)) == len(values)


@pytest.mark.parametrize("name", SPACES)
def test_the_simplest_and_the_most_complex_settings_of_a_space_make_an_estimator(name):
    terms = CommonTerms(is_classification=True in named(name).serves)
    every = combinations(Model(name), space_of(Model(name)))
    assert every[0].make(terms) is not None
    assert every[-1].make(terms) is not None


def test_settings_outside_of_the_space_stay():
    model = Model("cart", (("criterion", "entropy"), ("depth", 7)))
    every = combinations(model, space_of(model))
    assert {one.value("criterion") for one in every} == {"entropy"}
    assert len(every) == 9 * 6 * 5


def test_a_price_of_leaves_is_in_the_unit_of_the_variance_or_not_tried():
    assert space_of(Model("cart"), variance=100.0)["alpha"] == (3.0, 1.0, 0.3, 0.1, 0.0)
    absolute = Model("cart", (("criterion", "absolute"),))
    assert "alpha" not in space_of(absolute, variance=100.0)
    assert "alpha" in space_of(absolute)
