"""The lowest versions, with which `.ci/run --lowest` runs the tests."""

import runpy
import tomllib

from packaging.requirements import Requirement

from espalier.paths import APP

PROJECT = tomllib.loads((APP / "pyproject.toml").read_text("utf-8"))["project"]
NEEDED = [Requirement(line) for line in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]]
LOWEST = [Requirement(line) for line in runpy.run_path(str(APP / ".ci" / "lowest.py"))["constraints"](PROJECT)]


def version_of(requirement):
    (bound,) = requirement.specifier
    assert bound.operator == "=="
    return bound.version


def test_every_package_that_is_needed_has_one_lowest_version_and_it_is_allowed():
    for needed in NEEDED:
        (lowest,) = [one for one in LOWEST if one.name == needed.name]
        assert version_of(lowest) in needed.specifier, needed
        assert not lowest.extras, needed  # pip takes none in constraints
        assert any(bound.operator == ">=" and bound.version == version_of(lowest) for bound in needed.specifier)
