"""Files of deploy, by a linter and in a folder; .ci/run; several servers, and their proxy before stand-ins."""

import contextlib
import http.client
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from string import Template
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docs.tools import limits
from espalier import servers, settings
from espalier.paths import APP
from espalier.servers import Servers
from tests.tools.in_browser import eventually, free_port, running, wait_for_tree
from tests.tools.waiting import SOON, until

PROJECT = Path(__file__).resolve().parents[2]
DOCKERFILE = PROJECT / "deploy" / "Dockerfile"


class Step(NamedTuple):
    word: str
    text: str


def steps(text: str) -> list[Step]:
    """Instructions of a Dockerfile, each on one line, without comments.

    >>> steps("# first\\nFROM a:1\\nRUN b \\\\\\n    && c\\n")
    [Step(word='FROM', text='a:1'), Step(word='RUN', text='b && c')]
    """
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\s*\\\n\s*", " ", lines)
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]


class PlainFolder:
    """Takes the steps in a folder that stands for the root of the image; its base is this machine's Python."""

    def __init__(self, root: Path, python: str):
        self.root, self.at = root, root
        self.known: dict[str, str] = {}  # ARG and ENV
        self.environment = {"PATH": f"{root / 'base'}:/usr/bin:/bin", "TMPDIR": str(root / "tmp")}
        (root / "base").mkdir(parents=True)
        (root / "base" / "python").symlink_to(python)
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o1777)

    def inside(self, text: str) -> str:
        """The text with paths of the image as paths of the folder."""
        return re.sub(r"(?<![\w.])/(srv|tmp)\b", lambda path: str(self.root / path[1]), text)

    def take(self, step: Step) -> None:
        """Take a step; those that say how the image is run are for `command`."""
        word, text = step
        if word == "ARG":
            name, _, value = text.partition("=")
            self.known[name] = value
        elif word == "ENV":
            for pair in shlex.split(text):
                name, _, value = pair.partition("=")
                known = self.known | self.environment
                self.environment[name] = Template(self.inside(value)).safe_substitute(known)
        elif word == "WORKDIR":
            self.at = Path(self.inside(text))
            self.at.mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            self._copy(*text.split())
        elif word == "RUN":
            subprocess.run(self.inside(text), shell=True, check=True, cwd=self.at, env=self.everything())

    def everything(self) -> dict[str, str]:
        """The environment of a step, with what this machine's pip needs to find packages."""
        own = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
        return own | self.environment

    def _copy(self, *names: str) -> None:
        *sources, target = names
        for source in sources:
            path, to = PROJECT / source, self.at / target
            if path.is_dir():
                shutil.copytree(path, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(path, to)

    @property
    def megabytes(self) -> float:
        """What the steps have put down, in MB."""
        files = (path.lstat() for path in (self.root / "srv").rglob("*"))
        return sum(file.st_blocks * 512 for file in files) / 1e6


def command(step: Step) -> list[str]:
    """The words of CMD and HEALTHCHECK."""
    return json.loads(step.text[step.text.index("[") :])


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


# ---- the steps of the Dockerfile in a plain folder, and the app that is started from there, without a container:
# the folder stands for the image, another user for its user, folders of root for those that cannot be written

HITS = """  # whether a kernel was loaded and not compiled
from espalier.kernels.prune import _collapse, collapse_prices
from espalier.kernels.stages import stump
from espalier.trees import parents
tree = stump()
collapse_prices(tree, parents(tree))
print(bool(_collapse.stats.cache_hits))
"""
BASE_MB, MOST_MB = 130, 1_200  # of the slim base image, as its makers give it; of the whole image


def python_of_the_image():
    (base,) = (step.text for step in STEPS if step.word == "FROM")
    name = "python" + ".".join(base.partition(":")[2].split(".")[:2])
    for folder in ("/usr/bin", "/usr/local/bin"):
        if (found := Path(folder) / name).exists():
            return str(found)
    pytest.skip(f"no {name} that every user may run")


@pytest.fixture(scope="module")
def image():
    python = python_of_the_image()
    root = Path(tempfile.mkdtemp(prefix="image-", dir="/tmp"))  # pytest's own folders are closed to other users
    root.chmod(0o755)
    folder = PlainFolder(root, python)
    try:
        for step in STEPS:
            folder.take(step)
        yield folder
    finally:
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def started(image):
    """Address of the app as the image starts it, but with a home that does not even exist."""
    (run,) = (step for step in STEPS if step.word == "CMD")
    environment = image.environment | {"HOME": "/nonexistent", "ESPALIER_MAX_JOB_SECONDS": "60"}
    program = shutil.which(command(run)[0], path=image.environment["PATH"])
    options = [o for o in command(run)[1:] if not o.startswith(("--server.port", "--server.address"))]
    with running([program, *options], image.at, environment, **without_rights()) as address:
        yield address


def without_rights():
    return {"user": 10001, "group": 10001, "extra_groups": []} if os.geteuid() == 0 else {}


@pytest.mark.slow
def test_the_image_is_small_enough(image):
    assert BASE_MB + image.megabytes < MOST_MB


@pytest.mark.slow
def test_the_app_answers_that_it_is_well_and_draws_a_tree_without_compiling(image, started, open_page):
    with urllib.request.urlopen(f"{started}/_stcore/health") as answer:
        assert answer.status == 200
    page = open_page(started)
    wait_for_tree(page)
    page.goto(f"{started}/forests")
    eventually(page, lambda: page.get_by_text("out of bag").first.is_visible())
    assert not new_kernels(image)


def new_kernels(image):
    """Compiled kernels that stand beside the links to those of the image."""
    return [path for path in (image.root / "tmp").rglob("*.nb*") if not path.is_symlink()]


@pytest.mark.slow
def test_without_the_features_of_the_processor_the_kernels_are_not_found(image):
    environment = {name: v for name, v in image.everything().items() if name != "NUMBA_CPU_FEATURES"}
    for known, hits in ((image.everything(), True), (environment, False)):
        said = subprocess.run(["python", "-c", HITS], cwd=image.at, env=known, capture_output=True, text=True)
        assert (said.stdout.strip() == "True") == hits, said.stderr


SLEEPING = [sys.executable, "-c", "import time; time.sleep(60)"]


@contextlib.contextmanager
def running_servers(several):
    codes = []
    thread = threading.Thread(target=lambda: codes.append(several.run()))
    thread.start()
    assert until(lambda: len(several.processes) == 2)
    yield codes
    several.end()
    thread.join(SOON)


def test_one_that_dies_is_begun_anew_and_the_others_go_on():
    several = Servers([SLEEPING, SLEEPING], seconds_to_start=0.0)
    with running_servers(several) as codes:
        first, second = several.processes
        first.kill()
        assert until(lambda: several.processes[0] is not first)
        assert several.processes[0].poll() is None
        assert several.processes[1] is second
        assert second.poll() is None
    assert codes == [0]
    assert all(process.poll() is not None for process in several.processes)


def test_one_that_cannot_start_ends_all_with_its_code():
    several = Servers([SLEEPING, [sys.executable, "-c", "raise SystemExit(7)"]])
    assert several.run() == 7
    assert several.processes[0].poll() is not None


@pytest.mark.parametrize("port", ["", "eight", "0", "70000"])
def test_a_port_that_is_none_is_refused_with_what_it_should_be(port):
    with pytest.raises(ValueError, match="whole number from 1 to 65,535"):
        servers.commands(2, [f"--server.port={port}"], {})


def test_each_server_gets_all_arguments_and_a_port_of_its_own():
    first, second = servers.commands(2, ["--server.headless=true"], {"STREAMLIT_SERVER_PORT": "8600"})
    assert first[:-1] == second[:-1] == [sys.executable, "-m", "espalier", "--server.headless=true", "--workers=1"]
    assert [first[-1], second[-1]] == ["--server.port=8600", "--server.port=8601"]


def answers(port):
    with (
        contextlib.suppress(OSError),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1),
    ):
        return True
    return False


@pytest.mark.slow
def test_two_servers_answer_at_ports_that_follow_each_other_and_end_together():
    port = free_port()
    options = ["--workers", "2", "--server.headless=true", f"--server.port={port}"]
    command = [sys.executable, "-m", "espalier", *options]
    environment = os.environ | {"PYTHONPATH": str(PROJECT / "core")}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as both:
        assert until(lambda: answers(port) and answers(port + 1))
        both.send_signal(signal.SIGTERM)
        assert both.wait(SOON) == 0
    assert not answers(port)
    assert not answers(port + 1)


CADDY = shutil.which("caddy")


class StandIn(BaseHTTPRequestHandler):
    """Answers with the port that it listens at, and with what it was asked for."""

    def do_GET(self):
        is_known = self.headers["Host"].startswith("localhost")  # as the app, it answers to its own name alone
        self.send_response(200 if is_known else 421)
        self.end_headers()
        self.wfile.write(f"{self.connection.getsockname()[1]} {self.path}".encode())

    def log_message(self, format, *args):
        """Say nothing."""


@pytest.fixture
def stand_ins():
    """Ports of two servers at work."""
    both = [ThreadingHTTPServer(("127.0.0.1", 0), StandIn) for _ in range(2)]
    for one in both:
        threading.Thread(target=one.serve_forever, daemon=True).start()
    yield [one.server_address[1] for one in both]
    for one in both:
        one.shutdown()
        one.server_close()


@pytest.fixture
def proxy(stand_ins, tmp_path):
    """Port of Caddy with the Caddyfile before these servers."""
    if CADDY is None:
        pytest.skip("no caddy on this machine")
    port = free_port()
    environment = os.environ | {
        "HOME": str(tmp_path),
        "SITE": f"http://localhost:{port}",
        "SERVERS": " ".join(f"127.0.0.1:{one}" for one in stand_ins),
    }
    config = tmp_path / "Caddyfile"
    config.write_text("{\n\tadmin off\n}\n" + (PROJECT / "deploy" / "Caddyfile").read_text("utf-8"), "utf-8")
    command = [CADDY, "run", "--config", str(config), "--adapter", "caddyfile"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as caddy:
        assert until(lambda: answer(port, "/trees/").status == 200)
        yield port
        caddy.terminate()


class Answer:
    """What came back: status, where it leads, its cookie, its text."""

    def __init__(self, status, headers, text):
        self.status, self.text = status, text
        self.location = headers.get("Location", "")
        self.cookie = headers.get("Set-Cookie", "").split(";")[0]


def answer(port, path, cookie=""):
    connection = http.client.HTTPConnection("localhost", port, timeout=10)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        got = connection.getresponse()
        return Answer(got.status, dict(got.getheaders()), got.read().decode())
    return Answer(0, {}, "")


def test_a_visitor_comes_back_to_the_same_server_and_visitors_are_shared_among_both(stand_ins, proxy):
    reached = {}
    for _ in range(40):
        first = answer(proxy, "/trees/")
        reached.setdefault(first.text.split()[0], first.cookie)
    assert set(reached) == {str(port) for port in stand_ins}
    for port, cookie in reached.items():
        assert {answer(proxy, "/trees/forests", cookie).text for _ in range(5)} == {f"{port} /trees/forests"}


def test_what_is_not_below_the_path_does_not_reach_a_server(proxy):
    assert answer(proxy, "/trees").location.endswith("/trees/")
    assert answer(proxy, "/").text == "Espalier is at /trees/"
