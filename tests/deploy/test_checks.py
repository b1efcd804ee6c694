"""`.ci/run`: the Python that it takes, or the sentence that says which ones it would, and the lowest versions."""

import os
import runpy
import shutil
import subprocess
import tomllib
from importlib import metadata

import pytest
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


LANGUAGE = "Programming Language :: Python :: 3."
TOOLS = ("bash", "cat", "dirname", "env", "id", "mktemp", "rm", "sed")


def minors(classifiers):
    return [int(line.removeprefix(LANGUAGE)) for line in classifiers if line.startswith(LANGUAGE)]


OURS = minors(PROJECT["classifiers"])


@pytest.fixture
def checks(tmp_path):
    """A function that runs the checks where there are these commands of Python alone, and no pip."""
    if os.name == "nt":
        pytest.skip("it is a script of bash")
    for tool in TOOLS:
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))

    def run(*options, **pythons):
        for name, version in pythons.items():
            path = tmp_path / name.replace("_", ".")
            answers = f"-c) echo {version};; --version) echo Python {version}.1;; *) exit 1;;"
            path.write_text(f"#!/bin/sh\ncase $1 in {answers} esac\n")
            path.chmod(0o755)
        command = ["bash", str(APP / ".ci" / "run"), *options]
        environment = {"PATH": str(tmp_path), "TMPDIR": str(tmp_path)}
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    return run


def test_the_newest_python_at_hand_is_taken_and_the_oldest_one_for_the_lowest_versions(checks):
    pythons = {"python3": "3.12", "python3_11": "3.11", "python3_13": "3.13", "python3_99": "3.99"}
    assert "virtual environment of Python 3.13.1" in checks(**pythons).stdout
    assert "virtual environment of Python 3.11.1" in checks("--lowest", **pythons).stdout


@pytest.mark.parametrize("version", ["3.10", "3.99"])
def test_a_python_that_numba_does_not_support_is_refused_before_anything_is_installed(checks, version):
    ended = checks(python3=version)
    assert ended.returncode == 1
    assert not ended.stdout
    assert ended.stderr.count("\n") == 1
    assert ", ".join(f"3.{minor}" for minor in OURS) in ended.stderr
    assert f"python3 is Python {version}.1. Install one of them." in ended.stderr


def test_the_pythons_that_are_named_are_those_from_the_lowest_on_that_numba_supports():
    assert PROJECT["requires-python"] == f">=3.{OURS[0]}"
    assert [*range(OURS[0], OURS[-1] + 1)] == OURS
    for page in ("README.md", "docs/start.md"):
        assert f"Python 3.{OURS[0]} to 3.{OURS[-1]}" in (APP / page).read_text("utf-8")
    (lowest,) = [one for one in LOWEST if one.name == "numba"]
    if metadata.version("numba").startswith(version_of(lowest)):
        pytest.skip("the lowest Numba knows fewer Pythons than the newest one")
    assert set(OURS) <= set(minors(metadata.metadata("numba").get_all("Classifier") or []))
