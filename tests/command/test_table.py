"""The command ``espalier table.csv``: a file of this machine is opened from its path, and never by a link."""

import doctest
import os
import subprocess
import sys
import time

import pytest
from streamlit.testing.v1 import AppTest

from espalier import __main__ as command
from espalier import servers, settings
from espalier.data import background
from espalier.paths import APP, SAMPLE_DATA, SOURCES
from pages.shared.data import draft as drafts
from pages.shared.data import intake, library
from pages.shared.data.draft import Shelf
from tests.tools.cases import case

IRIS = SAMPLE_DATA / "iris.csv"


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left():
    yield
    background._waiting.end()


@pytest.fixture
def named(monkeypatch):
    """Let the command line name a table, a target and a learner."""

    def name(target="", learner="", table=IRIS):
        monkeypatch.setattr(intake, "TABLE", str(table))
        monkeypatch.setattr(intake, "TARGET", target)
        monkeypatch.setattr(intake, "LEARNER", learner)

    return name


def begun(**parameters):
    """The page of a session that has just begun, once the file is read."""
    page = AppTest.from_file(str(APP / "app.py"), default_timeout=120)
    page.query_params.update(parameters)
    page.run()
    until = time.monotonic() + 60
    while is_reading(page) and time.monotonic() < until:
        time.sleep(0.1)
        page.run()
    assert not page.exception
    return page


def is_reading(page):
    return drafts.KEY in page.session_state and page.session_state[drafts.KEY].reading is not None


def test_table_target_and_learner_go_to_the_app_and_the_rest_to_streamlit():
    environment = {}
    arguments = [str(IRIS), "--target", "species", "--server.port", "80", "--learner", "optimal"]
    assert command.take_table(arguments, environment) == ["--server.port", "80"]
    assert environment["ESPALIER_TABLE"] == str(IRIS.resolve())
    assert (environment["ESPALIER_TARGET"], environment["ESPALIER_LEARNER"]) == ("species", "optimal")
    assert int(environment["ESPALIER_MAX_ROWS"]) > settings.MAX_ROWS
    assert "ESPALIER_MAX_UPLOAD_MB" not in environment


def test_without_a_table_nothing_changes():
    environment = {}
    assert command.take_table(["--server.port", "80"], environment) == ["--server.port", "80"]
    assert environment == {}


STARTED = """
from espalier import __main__ as command

def run(*_, **__):
    from espalier import settings
    print(settings.TABLE, settings.TARGET, settings.LEARNER, settings.MAX_ROWS)

command.runpy.run_module = run
command.main()
"""


def test_the_app_that_the_command_starts_knows_the_table_and_the_limits():
    ran = subprocess.run(
        [sys.executable, "-c", STARTED, str(IRIS), "--target", "species", "--learner", "extra"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stdout.split() == [str(IRIS), "species", "extra", str(command.LIFTED["MAX_ROWS"])], ran.stderr


def test_what_cannot_be_opened_is_refused_with_a_reason():
    for arguments, environment, words in [
        (["nowhere.csv"], {}, "nowhere.csv"),
        ([str(SAMPLE_DATA)], {}, "cannot be opened"),
        ([str(IRIS), "--learner", "birch"], {}, "“birch”.*cart, cultivated, optimal"),
        (["--target", "species"], {}, "go with a table"),
        ([str(IRIS), "--server.address", "0.0.0.0"], {}, "0.0.0.0"),
        ([str(IRIS), "--server.address=192.168.0.7"], {}, "192.168.0.7"),
        ([str(IRIS)], {"STREAMLIT_SERVER_ADDRESS": "::"}, "is ::"),
        ([str(IRIS)], {"ESPALIER_ROOM": "Room 12"}, "--lecture"),
    ]:
        with case((arguments, environment, words)), pytest.raises(ValueError, match=words):
            command.take_table(arguments, environment)


def test_the_examples_of_the_servers_are_true():
    assert doctest.testmod(servers).failed == 0


def test_a_session_begins_with_the_file_to_be_looked_at(named):
    named()
    page = begun()
    draft = page.session_state[drafts.KEY]
    assert (draft.source, len(draft.table.frame), draft.target) == (IRIS, 150, "species")
    assert "use" in [one.key for one in page.button]


def test_a_target_that_is_named_is_used_at_once_by_the_learner_that_is_named(named):
    named("petal width", "model-tree")
    page = begun()
    assert library.CHOSEN in page.session_state
    assert page.query_params["model"] in ("model-tree", ["model-tree"])
    table = library.store().find(page.session_state[library.CHOSEN])
    assert table is not None
    assert (table.target.name, len(table.y)) == ("petal width", 150)


def test_a_target_that_the_table_does_not_have_is_said_and_guessed(named):
    named("colour")
    page = begun()
    assert "“colour”" in page.warning[0].value
    assert page.session_state[drafts.KEY].target == "species"


def test_a_file_that_is_gone_is_said_on_the_page(named, tmp_path):
    named(table=tmp_path / "gone.csv")
    page = begun()
    assert "cannot be opened" in " ".join(one.value for one in page.error)


def test_a_link_is_opened_as_it_is_a_server_that_others_reach_opens_no_file_and_forests_have_their_own_page(
    named, monkeypatch
):
    named()
    assert drafts.KEY not in begun(data="wine").session_state
    named()
    monkeypatch.setattr(intake, "is_local", lambda address: servers.is_local("0.0.0.0"))
    assert drafts.KEY not in begun().session_state
    named(learner="extra")
    assert intake.page_of("iris") == ("pages/forests.py", {"data": "iris", "a": "extra"})


def test_a_file_at_its_path_takes_no_room_on_the_shelf():
    places = Shelf(megabytes=1e-6)
    words = [places.put("", drafts.Draft(1, IRIS, "iris.csv", None, None, None)) for _ in range(3)]
    assert all(places.find(word) for word in words)
