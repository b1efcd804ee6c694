"""The commands ``espalier``, ``espalier table.csv``, ``espalier check``: what they say, open, end with."""

import doctest
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from espalier import __main__ as command
from espalier import check, servers, settings
from espalier.data import background
from espalier.kernels import compile_all
from espalier.paths import APP, ASSETS, KERNEL_CACHE, SAMPLE_DATA, SOURCES
from pages.shared.data import draft as drafts
from pages.shared.data import intake, library
from pages.shared.data.draft import Shelf
from tests.tools.cases import case

SETTINGS = tomllib.loads((APP / ".streamlit" / "config.toml").read_text("utf-8"))


def test_every_setting_of_the_file_becomes_an_option_that_streamlit_knows_and_variables_win_over_it():
    said = list(command.options(SETTINGS, {}))
    assert "--server.address=127.0.0.1" in said
    assert "--browser.gatherUsageStats=false" in said
    colours = SETTINGS["theme"]["chartCategoricalColors"]
    assert f"--theme.chartCategoricalColors={json.dumps(colours)}" in said  # as Streamlit parses a list
    said = list(command.options(SETTINGS, {"STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}))
    assert not [s for s in said if s.startswith("--server.address")]
    config = pytest.importorskip("streamlit.config")
    known = config._config_options_template
    for option in command.options(SETTINGS, {}):
        name = option.removeprefix("--").partition("=")[0]
        assert known[name].env_var == command.variable(name)


def test_arguments_come_after_the_settings_so_that_they_win(monkeypatch):
    started = []
    monkeypatch.setattr(command.runpy, "run_module", lambda name, **_: started.append((name, sys.argv)))
    monkeypatch.setattr(sys, "argv", ["espalier", "--server.address", "0.0.0.0"])
    command.main()
    ((name, arguments),) = started
    assert name == "streamlit"
    assert arguments[:3] == ["streamlit", "run", str(APP / "app.py")]
    assert arguments[-2:] == ["--server.address", "0.0.0.0"]


def said(monkeypatch, capsys, *arguments):
    """The exit code of the command and what it writes."""
    monkeypatch.setattr(sys, "argv", ["espalier", *arguments])
    with pytest.raises(SystemExit) as ended:
        command.main()
    return ended.value.code, capsys.readouterr().out


@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_the_help_tells_of_every_command_and_option_of_ours(monkeypatch, capsys, asked):
    code, text = said(monkeypatch, capsys, asked)
    own = re.findall(r'add_argument\("(--[a-z]+)"', inspect.getsource(command))
    assert len(own) == 5
    assert not code
    assert all(f"  {option} " in text for option in own)
    assert all(f"espalier {name} " in text for name in ("check", "lesson check", "practice collect"))
    assert max(map(len, text.splitlines())) < 80  # as wide as a terminal is


def test_all_kernels_are_compiled_by_one_command_that_says_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(compile_all, "main", lambda tell: [tell(stage) for stage in compile_all.STAGES])
    code, text = said(monkeypatch, capsys, "compile")
    assert code == 0
    assert re.findall(r"^  (\w+): \d+ s$", text, re.MULTILINE) == [*compile_all.STAGES]
    assert str(KERNEL_CACHE) in text


def test_the_version_is_the_projects_the_folders_of_a_checkout_are_there_and_the_examples_are_true(
    monkeypatch, capsys
):
    project = tomllib.loads((APP / "pyproject.toml").read_text("utf-8"))["project"]
    assert said(monkeypatch, capsys, "--version") == (None, f"espalier {project['version']}\n")
    assert (APP / "pages" / "tree.py").is_file()
    assert (ASSETS / "components" / "tree" / "main.js").is_file()
    assert (SAMPLE_DATA / "iris.csv").is_file()
    assert (SOURCES / "espalier").is_dir()
    assert doctest.testmod(command).failed == 0


ENDED = """
import signal
from espalier import __main__ as command
from espalier.paths import scratch

command.runpy.run_module = lambda *_, **__: None
command.main()
(scratch() / "file").write_text("")
print(scratch(), flush=True)
signal.raise_signal(signal.SIGTERM)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_server_that_is_ended_by_the_system_leaves_no_temporary_folder():
    ended = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == -signal.SIGTERM
    assert ended.stdout.strip()
    assert not Path(ended.stdout.strip()).exists()


IRIS = str(SAMPLE_DATA / "iris.csv")


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left():
    yield
    background._waiting.end()


@pytest.fixture
def leak(tmp_path):
    """A file with a column that knows the answer, patients who come again, and dates."""
    n = 200
    days = pd.date_range("2021-01-01", periods=n).strftime("%Y-%m-%d")
    risk = ["low" if (i * i) % 7 < 3 else "high" for i in range(n)]
    columns = {
        "patient": [f"p{i % 40}" for i in range(n)],
        "visit": days,
        "age": [20 + (i * 37) % 61 for i in range(n)],
        "dose": [1 if one == "low" else 2 for one in risk],
        "risk": risk,
    }
    path = tmp_path / "visits.csv"
    path.write_bytes(pd.DataFrame(columns).to_csv(index=False, sep=";").encode("utf-16"))
    return path


def findings_of(capsys, *arguments):
    """The exit code of the command, and what it writes as JSON."""
    code = check.main([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_command_ends_with_1_where_something_misleads_and_says_it_in_words(leak):
    """Run as people run it."""
    ran = subprocess.run(
        [sys.executable, "-m", "espalier", "check", str(leak)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == check.WARNINGS, ran.stderr
    for words in ("visits.csv: 200 rows, 5 columns", "utf-16", "Target “risk” (guessed)", "“dose” has one value"):
        assert words in ran.stdout


def test_a_script_reads_what_was_read_guessed_and_warned_of(capsys, leak):
    code, found = findings_of(capsys, leak)
    assert code == check.WARNINGS
    assert (found["rows"], [column["kind"] for column in found["columns"]][:3]) == (
        200,
        ["category", "date", "number"],
    )
    assert (found["read_as"]["encoding"], found["read_as"]["delimiter"]) == ("utf-16", ";")
    assert (found["target"], found["target_guessed"], found["task"]) == ("risk", True, "classification")
    assert found["roles"] == {"group": "patient", "time": "visit"}
    assert found["dates"]["visit"][0] == "visit"
    copy = found["warnings"][0]
    assert (copy["kind"], copy["serious"], copy["columns"]) == ("copy", True, ["dose"])


def test_what_the_file_leaves_open_is_asked_with_both_readings(capsys, tmp_path):
    path = tmp_path / "plate.csv"
    path.write_text(
        "well,u,y\n" + "".join(f"{i % 8 + 1}E{i % 11 + 1},{i % 9}.5,{'pq'[i % 2]}\n" for i in range(96)), "utf-8"
    )
    _, found = findings_of(capsys, path)
    (asked,) = found["questions"]
    assert asked["question"].endswith("in “well” a number?")
    assert (asked["read_as"], asked["or"]) == ("Text, as it is written", "A number")
    check.main([str(path)])
    assert "in “well” a number? Now: Text, as it is written. Or: A number." in capsys.readouterr().out


def test_a_table_in_which_nothing_misleads_ends_with_0_and_a_target_that_is_not_there_is_named(capsys):
    code, found = findings_of(capsys, IRIS, "--target", "petal width")
    assert (code, found["warnings"]) == (check.FINE, [])
    assert (found["target"], found["target_guessed"], found["task"]) == ("petal width", False, "regression")
    code, found = findings_of(capsys, IRIS, "--target", "colour")
    assert code == check.UNREADABLE
    assert "“colour”" in found["error"]["what"]
    assert "“petal length”" in found["error"]["where"]


@pytest.mark.parametrize("content", [None, b"", b"%PDF-1.4 and more", b"a\n1\n2\n"])
def test_what_is_no_table_ends_with_2_and_a_sentence(capsys, tmp_path, content):
    path = tmp_path / "table.csv"
    if content is not None:
        path.write_bytes(content)
    assert check.main([str(path)]) == check.UNREADABLE
    wrong = capsys.readouterr()
    assert wrong.out == ""
    assert wrong.err.strip().endswith(".")


def test_names_from_a_file_do_not_steer_the_terminal(capsys, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a\x1b[31m,b\n" + "".join(f"{i},{i % 3}\n" for i in range(30)), "utf-8")
    check.main([str(path)])
    wrote = capsys.readouterr()
    assert "\x1b" not in wrote.out + wrote.err


def test_a_file_of_this_machine_has_no_limit_of_uploads_and_takes_no_room_on_the_shelf(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr("espalier.data.formats.readers.MAX_UPLOAD_MB", 0)
    code, found = findings_of(capsys, IRIS)
    assert (code, found.get("rows")) == (check.FINE, 150), found
    places = Shelf(megabytes=1e-6)
    words = [places.put("", drafts.Draft(1, IRIS_PATH, "iris.csv", None, None, None)) for _ in range(3)]
    assert all(places.find(word) for word in words)


def test_limits_that_are_lifted_are_allowed_ones_and_those_of_the_environment_stay():
    environment = {"ESPALIER_MAX_ROWS": "500"}
    command.lift_limits(environment)
    assert environment["ESPALIER_MAX_ROWS"] == "500"
    for name in (*command.LIFTED, "MAX_READ_MEMORY_MB"):
        assert settings.LIMITS[name].value(environment)


IRIS_PATH = SAMPLE_DATA / "iris.csv"


@pytest.fixture
def named(monkeypatch):
    """Let the command line name a table, a target and a learner."""

    def name(target="", learner="", table=IRIS_PATH):
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


def test_table_target_and_learner_go_to_the_app_the_rest_to_streamlit_and_without_a_table_nothing_changes():
    environment = {}
    arguments = [str(IRIS_PATH), "--target", "species", "--server.port", "80", "--learner", "optimal"]
    assert command.take_table(arguments, environment) == ["--server.port", "80"]
    assert environment["ESPALIER_TABLE"] == str(IRIS_PATH.resolve())
    assert (environment["ESPALIER_TARGET"], environment["ESPALIER_LEARNER"]) == ("species", "optimal")
    assert int(environment["ESPALIER_MAX_ROWS"]) > settings.MAX_ROWS
    assert "ESPALIER_MAX_UPLOAD_MB" not in environment
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
        [sys.executable, "-c", STARTED, str(IRIS_PATH), "--target", "species", "--learner", "extra"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stdout.split() == [str(IRIS_PATH), "species", "extra", str(command.LIFTED["MAX_ROWS"])], ran.stderr


def test_what_cannot_be_opened_is_refused_with_a_reason():
    for arguments, environment, words in [
        (["nowhere.csv"], {}, "nowhere.csv"),
        ([str(SAMPLE_DATA)], {}, "cannot be opened"),
        ([str(IRIS_PATH), "--learner", "birch"], {}, "“birch”.*cart, cultivated, optimal"),
        (["--target", "species"], {}, "go with a table"),
        ([str(IRIS_PATH), "--server.address", "0.0.0.0"], {}, "0.0.0.0"),
        ([str(IRIS_PATH), "--server.address=192.168.0.7"], {}, "192.168.0.7"),
        ([str(IRIS_PATH)], {"STREAMLIT_SERVER_ADDRESS": "::"}, "is ::"),
        ([str(IRIS_PATH)], {"ESPALIER_ROOM": "Room 12"}, "--lecture"),
    ]:
        with case((arguments, environment, words)), pytest.raises(ValueError, match=words):
            command.take_table(arguments, environment)


def test_a_session_begins_with_the_file_and_a_target_that_is_not_there_or_a_file_that_is_gone_is_said(
    named, tmp_path
):
    named()
    page = begun()
    draft = page.session_state[drafts.KEY]
    assert (draft.source, len(draft.table.frame), draft.target) == (IRIS_PATH, 150, "species")
    assert "use" in [one.key for one in page.button]
    named("colour")
    page = begun()
    assert "“colour”" in page.warning[0].value
    assert page.session_state[drafts.KEY].target == "species"
    named(table=tmp_path / "gone.csv")
    page = begun()
    assert "cannot be opened" in " ".join(one.value for one in page.error)


def test_a_target_that_is_named_is_used_at_once_by_the_learner_that_is_named(named):
    named("petal width", "model-tree")
    page = begun()
    assert library.CHOSEN in page.session_state
    assert page.query_params["model"] in ("model-tree", ["model-tree"])
    table = library.store().find(page.session_state[library.CHOSEN])
    assert table is not None
    assert (table.target.name, len(table.y)) == ("petal width", 150)


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
