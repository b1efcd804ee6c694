"""The examples in docstrings are run as they stand there."""

import doctest
import importlib
import pkgutil

import pytest

import espalier
from espalier import learners

LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> list[str]:
    return [m.name for m in pkgutil.walk_packages(espalier.__path__, "espalier.") if "__main__" not in m.name]


def examples_of(name: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    return [one for one in found if one.examples]


def test_an_example_that_is_wrong_is_noticed():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1


@pytest.mark.parametrize("name", modules())
def test_every_example_in_a_docstring_gives_what_it_says(name: str):
    said: list[str] = []
    for example in examples_of(name):
        doctest.DocTestRunner(verbose=False, optionflags=LENIENT).run(example, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("name", learners.__all__)
def test_every_estimator_has_an_example(name: str):
    doc = getattr(learners, name).__doc__
    assert ">>> " in doc
