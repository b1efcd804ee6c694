"""The examples in docstrings are run as they stand there."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import espalier
from espalier import analysis, data, learners

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
    assert ">>> " in getattr(learners, name).__doc__


FUNCTIONS = [name for name in analysis.__all__ if name.islower()]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_of_analysis_has_an_example(name: str):
    assert ">>> " in getattr(analysis, name).__doc__


@pytest.mark.parametrize("name", [name for name in data.__all__ if name != "samples"])
def test_every_public_name_of_data_has_an_example(name: str):
    assert ">>> " in getattr(data, name).__doc__


@pytest.mark.parametrize("name", [name for name in data.samples.__all__ if name.islower()])
def test_every_function_of_samples_has_an_example(name: str):
    assert ">>> " in getattr(data.samples, name).__doc__


def test_names_of_analysis_are_imported_when_they_are_asked_for():
    before = "import sys, espalier.analysis; print(sum(m.startswith('espalier.analysis.') for m in sys.modules))"
    out = subprocess.run([sys.executable, "-c", before], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "0"


def test_a_name_that_analysis_lacks_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        analysis.nonsense  # noqa: B018
