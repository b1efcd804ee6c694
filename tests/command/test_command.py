"""The command: Streamlit is given the app's settings wherever it is started, and people's own win."""

import doctest
import inspect
import json
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from espalier import __main__ as command
from espalier.kernels import compile_all
from espalier.paths import APP, ASSETS, KERNEL_CACHE, SAMPLE_DATA, SOURCES

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


def test_the_version_is_that_of_the_project(monkeypatch, capsys):
    project = tomllib.loads((APP / "pyproject.toml").read_text("utf-8"))["project"]
    assert said(monkeypatch, capsys, "--version") == (None, f"espalier {project['version']}\n")


def test_the_folders_of_a_checkout_hold_what_the_app_needs_and_the_examples_of_the_command_are_true():
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
