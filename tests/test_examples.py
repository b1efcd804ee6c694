"""The examples in docstrings are run as they stand there."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import espalier
from espalier import analysis, data, learners
from espalier.executors import nursery, pool

LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules(package: str) -> list[str]:
    """The package or module, and all modules in it."""
    inside = pkgutil.walk_packages([f"{path}/{package}" for path in espalier.__path__], f"espalier.{package}.")
    return [f"espalier.{package}", *(m.name for m in inside if "__main__" not in m.name)]


def examples_of(name: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    return [one for one in found if one.examples]


def test_an_example_that_is_wrong_is_noticed():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1


@pytest.mark.parametrize(
    "package", [m.name for m in pkgutil.iter_modules(espalier.__path__) if m.name != "__main__"]
)
def test_every_example_in_a_docstring_gives_what_it_says(package: str, monkeypatch):
    bare = nursery.Nursery  # examples that begin processes need nothing that is imported ahead
    monkeypatch.setattr(pool, "Nursery", lambda folder, megabytes, _: bare(folder, megabytes, ()))
    said: list[str] = []  # with the name of each that is wrong
    for name in modules(package):
        for example in examples_of(name):
            doctest.DocTestRunner(verbose=False, optionflags=LENIENT).run(example, out=said.append)
    assert not said, "".join(said)


def test_every_estimator_every_public_function_and_name_of_data_has_an_example():
    names = [(learners, name) for name in learners.__all__]
    names += [(face, name) for face in (analysis, data.samples) for name in face.__all__ if name.islower()]
    names += [(data, name) for name in data.__all__ if name != "samples"]
    assert not [name for face, name in names if ">>> " not in getattr(face, name).__doc__]


def test_names_of_analysis_are_imported_when_they_are_asked_for():
    before = "import sys, espalier.analysis; print(sum(m.startswith('espalier.analysis.') for m in sys.modules))"
    out = subprocess.run([sys.executable, "-c", before], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "0"


def test_a_name_that_analysis_lacks_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        analysis.nonsense  # noqa: B018
