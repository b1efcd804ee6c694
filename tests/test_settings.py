"""Limits: each may be set by a variable of the environment, and a wrong value is named when the app starts."""

import doctest
import os
import subprocess
import sys

import pytest

from espalier import __main__ as command
from espalier import settings
from espalier.paths import APP, SOURCES
from tests.tools.cases import case


def started(program, **environment):
    """What a program says and how it ends, with these variables of the environment."""
    known = os.environ | {"PYTHONPATH": str(SOURCES)} | environment
    return subprocess.run([sys.executable, *program], env=known, capture_output=True, text=True, cwd=APP)


def test_a_variable_of_the_environment_sets_a_limit_everywhere_unless_it_is_empty():
    said = started(["-c", "from espalier.data import errors; print(errors.MAX_ROWS)"], ESPALIER_MAX_ROWS="12_345")
    assert said.stdout.strip() == "12345", said.stderr
    # A file of settings for containers passes all on, set or not.
    assert settings.LIMITS["MAX_ROWS"].value({"ESPALIER_MAX_ROWS": " "}) == 1_000_000


def test_a_value_that_is_none_is_refused_with_the_name_the_values_and_the_meaning():
    for text in ["many", "0", "1e3", "-5", "10.5", "nan", "1000000000000"]:
        with case(text):
            with pytest.raises(
                ValueError, match="a whole number from 10 to 100,000,000: rows of a table"
            ) as wrong:
                settings.LIMITS["MAX_ROWS"].value({"ESPALIER_MAX_ROWS": text})
            assert str(wrong.value).startswith(f"ESPALIER_MAX_ROWS is “{text}”; ")


@pytest.mark.parametrize("text", ["nan", "inf", "soon"])
def test_seconds_are_numbers_that_end(text):
    with pytest.raises(ValueError, match=r"a number from 1\.0 to 600\.0"):
        settings.LIMITS["MAX_READ_SECONDS"].value({"ESPALIER_MAX_READ_SECONDS": text})


def test_the_command_ends_with_all_that_is_wrong_and_no_traceback():
    ended = started(["-m", "espalier"], ESPALIER_MAX_ROWS="many", ESPALIER_MAX_COLUMS="5")
    assert ended.returncode == 1
    first, second = ended.stderr.splitlines()
    assert first.startswith("ESPALIER_MAX_ROWS is “many”")
    assert second == "ESPALIER_MAX_COLUMS is no setting of Espalier; did you mean ESPALIER_MAX_COLUMNS?"


def test_streamlit_alone_ends_with_the_same_sentence_of_a_wrong_secret(tmp_path):
    """On the Community Cloud there is no other place for variables: secrets are read before the settings are."""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text('ESPALIER_MAX_ROWS = "many"', "utf-8")
    program = f"import os; os.chdir({str(tmp_path)!r}); import app"  # as Streamlit imports it for the server
    ended = started(["-c", program], PYTHONPATH=os.pathsep.join([str(SOURCES), str(APP)]))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("ESPALIER_MAX_ROWS is “many”")
    assert "Traceback" not in ended.stderr


def test_every_default_is_one_of_the_values_that_may_be_given():
    for limit in settings.LIMITS.values():
        assert limit.value({limit.variable: str(limit.default)}) == limit.default


def test_streamlit_takes_no_smaller_file_than_the_pages_and_keeps_sessions_as_long_as_the_limit(monkeypatch):
    monkeypatch.setattr(settings, "MAX_UPLOAD_MB", 5)
    monkeypatch.setattr(settings, "MAX_ONNX_MB", 70)
    monkeypatch.setattr(settings, "MAX_SESSION_MINUTES", 10)
    assert command.by_limits() == {"maxUploadSize": 70, "disconnectedSessionTTL": 600}


def test_the_examples_of_settings_are_true():
    assert doctest.testmod(settings).failed == 0
