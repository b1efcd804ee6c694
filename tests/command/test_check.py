"""The command ``espalier check``: what it says of a table, and how it ends."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest

from espalier import __main__ as command
from espalier import check, settings
from espalier.data import background
from espalier.paths import SAMPLE_DATA, SOURCES

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


def said(capsys, *arguments):
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
    code, found = said(capsys, leak)
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
    _, found = said(capsys, path)
    (asked,) = found["questions"]
    assert asked["question"].endswith("in “well” a number?")
    assert (asked["read_as"], asked["or"]) == ("Text, as it is written", "A number")
    check.main([str(path)])
    assert "in “well” a number? Now: Text, as it is written. Or: A number." in capsys.readouterr().out


def test_a_table_in_which_nothing_misleads_ends_with_0_and_a_target_that_is_not_there_is_named(capsys):
    code, found = said(capsys, IRIS, "--target", "petal width")
    assert (code, found["warnings"]) == (check.FINE, [])
    assert (found["target"], found["target_guessed"], found["task"]) == ("petal width", False, "regression")
    code, found = said(capsys, IRIS, "--target", "colour")
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


def test_a_file_of_this_machine_has_no_limit_of_uploads(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("espalier.data.formats.readers.MAX_UPLOAD_MB", 0)
    code, found = said(capsys, IRIS)
    assert (code, found.get("rows")) == (check.FINE, 150), found


def test_limits_that_are_lifted_are_allowed_ones_and_those_of_the_environment_stay():
    environment = {"ESPALIER_MAX_ROWS": "500"}
    command.lift_limits(environment)
    assert environment["ESPALIER_MAX_ROWS"] == "500"
    for name in (*command.LIFTED, "MAX_READ_MEMORY_MB"):
        assert settings.LIMITS[name].value(environment)
