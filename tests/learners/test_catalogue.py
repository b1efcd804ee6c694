"""Every kind of model that pages offer can be made of its settings, learns, and predicts."""

import pytest

from espalier.data import samples
from espalier.learners import catalogue
from espalier.learners.catalogue import KINDS, CommonTerms

CASES = [(kind, serves) for kind in KINDS for serves in kind.serves]
SMALL = {"trees": 3, "depth": 2}


def settings_of(kind, **changes):
    known = catalogue.defaults(kind)
    return known | {key: value for key, value in (SMALL | changes).items() if key in known}


def fitted(kind, is_classification, **changes):
    data = samples.load("iris" if is_classification else "diabetes")
    model = kind.make(settings_of(kind, **changes), CommonTerms(is_classification, data.categorical, seconds=20))
    return model.fit(data.X, data.y), data


@pytest.mark.parametrize(("kind", "is_classification"), CASES, ids=[f"{k.name} {s}" for k, s in CASES])
def test_every_kind_learns_what_it_says_it_serves(kind, is_classification):
    model, data = fitted(kind, is_classification)
    floor = 0.3 if is_classification else -0.01
    assert model.score(data.X, data.y) > (floor if kind.name == "baseline" else 2 * abs(floor))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_choice_of_a_setting_makes_a_model(kind):
    for setting in kind.settings:
        for value, _ in setting.options:
            changes = {setting.key: value} | ({"base": "optimal"} if setting.key == "apart" else {})
            assert kind.make(settings_of(kind, **changes), CommonTerms(True)) is not None


@pytest.mark.parametrize("base", ["cart", "cultivated", "optimal"])
@pytest.mark.parametrize("name", ["bagged", "subspace", "root", "boosted"])
def test_forests_are_made_of_any_trees(name, base):
    model, data = fitted(catalogue.named(name), True, base=base)
    assert model.score(data.X, data.y) > 0.6


def test_trees_that_differ_are_chosen_among_optimal_ones():
    model, _ = fitted(catalogue.named("bagged"), True, base="optimal", apart=True)
    assert model.decorrelated


def test_a_tree_that_cannot_be_says_why():
    forest = catalogue.named("bagged")
    with pytest.raises(ValueError, match="optimal trees are for classes"):
        forest.make(settings_of(forest, base="optimal"), CommonTerms(False))
    with pytest.raises(ValueError, match="depth of 6 at most"):
        forest.make(settings_of(forest, base="optimal", depth=None), CommonTerms(True))


def test_names_are_unique_and_offered_kinds_serve_the_target():
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert all(False in kind.serves for kind in catalogue.offered(False))
    assert {kind.name for kind in catalogue.offered(False)} < {kind.name for kind in catalogue.offered(True)}
    for kind in KINDS:
        assert catalogue.named(kind.name) is kind
        assert len({setting.key for setting in kind.settings}) == len(kind.settings)
