"""The files in `deploy/`, as a linter sees them and as the project has it; the Pythons of `.ci/run`."""

import os
import re
import runpy
import shutil
import subprocess
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docs.tools import limits
from espalier import settings
from espalier.paths import APP
from tests.tools.dockerfile import DOCKERFILE, PROJECT, command, steps

TOML = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
STEPS = steps(DOCKERFILE.read_text("utf-8"))
LOCK = (PROJECT / "deploy" / "requirements.lock").read_text("utf-8")
COMPOSE = (PROJECT / "deploy" / "compose.yaml").read_text("utf-8")
SERVICE = (PROJECT / "deploy" / "espalier.service").read_text("utf-8")


def texts(word):
    return [step.text for step in STEPS if step.word == word]


def test_the_base_has_a_version_that_does_not_move():
    for base in texts("FROM"):
        assert re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+-[\w.-]+", base), base


def test_the_image_runs_as_a_user_without_rights_and_takes_nothing_from_an_address():
    (*_, user) = texts("USER")
    number, _, group = user.partition(":")
    assert int(number) > 0
    assert int(group) > 0
    after = STEPS[[step.word for step in STEPS].index("USER") :]
    assert not {"RUN", "COPY", "ADD"} & {step.word for step in after}
    assert not texts("ADD")
    assert not [line for line in texts("RUN") + texts("COPY") if "://" in line]


def test_the_image_says_whether_it_is_well_and_what_it_runs():
    (health,), (run,) = ([step for step in STEPS if step.word == word] for word in ("HEALTHCHECK", "CMD"))
    assert "_stcore/health" in command(health)[-1]
    compile(command(health)[-1], "health", "exec")
    assert command(run)[:3] == ["python", "-m", "espalier"]


def test_kernels_are_compiled_for_a_processor_that_is_named_with_its_features():
    """Numba finds compiled kernels only where both are the same."""
    before = " ".join(step.text for step in STEPS[: [s.text for s in STEPS].index(texts("COPY")[0])])
    assert "NUMBA_CPU_NAME=" in before
    assert "NUMBA_CPU_FEATURES=" in before


def test_what_the_wheel_takes_along_is_copied_into_the_image_and_let_through_to_it():
    taken = TOML["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    copied = {source for text in texts("COPY") for source in text.split()[:-1]}
    through = (DOCKERFILE.parent / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    for path in ["core/espalier", *taken]:
        assert path.split("/")[0] in copied
    assert {f"!{source}" for source in copied} <= set(through)


def test_each_asset_that_the_wheel_takes_along_is_named_by_the_app():
    folders = (PROJECT / "core" / "espalier", PROJECT / "pages", PROJECT / "assets")
    sources = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".css", ".js")]
    words = {word for path in sources for word in re.findall(r"[\w-]+", path.read_text("utf-8"))}
    files = [path for path in (PROJECT / "assets").rglob("*") if path.is_file()]
    texts_for_people = {path for path in files if path.name == "LICENSE.txt" or "lessons" in path.parts}
    assert not [path for path in files if path.stem not in words and path not in texts_for_people]


def test_programs_that_check_types_are_told_that_the_library_has_them():
    """PEP 561: an empty file in the package says so."""
    assert "Typing :: Typed" in TOML["project"]["classifiers"]
    assert (PROJECT / "core" / "espalier" / "py.typed").is_file()


def pinned():
    """Versions by name, with the condition on which each is taken."""
    lines = re.findall(r"^([\w.-]+)==(\S+)(?: ; (.*?))? \\$", LOCK, re.MULTILINE)
    found = {}
    for name, version, condition in lines:
        found.setdefault(canonicalize_name(name), []).append((version, condition))
    return found


def test_every_dependency_is_locked_within_its_bounds():
    for needed in map(Requirement, TOML["project"]["dependencies"]):
        versions = pinned()[canonicalize_name(needed.name)]
        assert versions, needed
        assert all(needed.specifier.contains(version) for version, _ in versions), needed


def test_every_locked_package_has_hashes_and_none_an_address():
    packages = re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]
    assert len(packages) == sum(map(len, pinned().values())) > 20
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", block) for block in packages)
    assert "://" not in LOCK
    assert "--index" not in LOCK


def variables(text):
    return set(re.findall(r"\bESPALIER_\w+", text))


def test_the_files_and_the_documentation_name_only_settings_that_there_are():
    known = {limit.variable for limit in settings.LIMITS.values()}
    page = limits.PAGE.read_text("utf-8")
    assert variables(COMPOSE + SERVICE) <= known
    assert variables(page) >= known
    assert {name for name in variables(page) if "_MAX_" in name} <= known


def test_the_table_of_limits_in_the_documentation_is_that_of_the_code():
    assert limits.table() in limits.PAGE.read_text("utf-8")  # if not: python -m docs.tools.limits


def test_the_service_of_systemd_may_write_only_its_cache_and_may_run_what_numba_compiles():
    assert "ProtectSystem=strict" in SERVICE
    assert "NUMBA_CACHE_DIR=/var/cache/espalier" in SERVICE
    assert "CacheDirectory=espalier" in SERVICE
    assert not re.search(r"^MemoryDenyWriteExecute=yes", SERVICE, re.MULTILINE)
    assert not re.search(r"^User=root", SERVICE, re.MULTILINE)


def test_containers_are_read_only_and_speak_only_to_the_proxy():
    assert "read_only: true" in COMPOSE
    assert "no-new-privileges:true" in COMPOSE
    assert COMPOSE.count("ports:") == 1  # the proxy's


TABLE = TOML["project"]
NEEDED = [Requirement(line) for line in TABLE["dependencies"] + TABLE["optional-dependencies"]["test"]]
LOWEST = [Requirement(line) for line in runpy.run_path(str(APP / ".ci" / "lowest.py"))["constraints"](TABLE)]


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


OURS = minors(TABLE["classifiers"])


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
    assert TABLE["requires-python"] == f">=3.{OURS[0]}"
    assert [*range(OURS[0], OURS[-1] + 1)] == OURS
    for page in ("README.md", "docs/start.md"):
        assert f"Python 3.{OURS[0]} to 3.{OURS[-1]}" in (APP / page).read_text("utf-8")
    (lowest,) = [one for one in LOWEST if one.name == "numba"]
    if metadata.version("numba").startswith(version_of(lowest)):
        pytest.skip("the lowest Numba knows fewer Pythons than the newest one")
    assert set(OURS) <= set(minors(metadata.metadata("numba").get_all("Classifier") or []))
