"""Files of results: what a student saves is what a teacher reads, and a file that was edited shows it."""

import json
import sys

import pytest

from espalier import __main__ as command
from espalier.language import Refusal
from espalier.practice import collect, exercise
from espalier.practice.results import GivenAnswer, digest, read, table, to_json


def right_answer(kind, level=1, seed=4):
    one = exercise(kind, level, seed)
    text = str(int(one.right)) if one.choices else f"{one.right:.2f}"
    return GivenAnswer(kind, level, seed, text, True, 30)


WRONG = GivenAnswer("votes", 1, 4, "9", False, 30)
FILE = to_json("Ada", [right_answer("variance"), right_answer("gain"), WRONG])


def edited(**changes):
    return json.dumps(json.loads(FILE) | changes).encode()


def test_a_file_is_read_as_it_was_written():
    result = read(FILE.encode())
    assert (result.name, result.is_whole) == ("Ada", True)
    assert [one.is_right for one in result.answers] == [True, True, False]


def test_a_file_with_another_name_shows_that_it_was_changed():
    assert not read(edited(name="Bob")).is_whole


def test_an_answer_that_is_wrong_stays_wrong_even_if_its_digest_is_written_anew():
    content = json.loads(FILE)
    del content["digest"]
    content["answers"][2]["is_right"] = True
    result = read(json.dumps(content | {"digest": digest(content)}).encode())
    assert not result.answers[2].is_right
    assert not result.is_whole


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 60_000,
        edited(format="other"),
        edited(answers=[{}]),
        edited(answers=7),
        edited(answers=[WRONG._asdict() | {"kind": "unknown"}]),
        edited(answers=[WRONG._asdict() | {"kind": []}]),
        edited(answers=[WRONG._asdict() | {"seed": -1}]),
        edited(answers=[WRONG._asdict() | {"level": 4}]),
        b" " * 100_001,
    ],
)
def test_what_is_no_file_of_results_is_refused_with_a_sentence(content):
    with pytest.raises(Refusal, match="results"):
        read(content)


def test_the_table_says_who_missed_what():
    rows = table([read(FILE.encode()), read(to_json("Bob", [WRONG, WRONG]).encode())])
    assert rows["name"].tolist() == ["Ada", "Bob"]
    assert rows["right answers"].tolist() == [2, 0]
    assert rows["votes"].tolist() == ["0 / 1", "0 / 2"]
    assert rows["gain"].tolist() == ["1 / 1", "–"]


def test_the_command_writes_one_table_and_names_files_that_are_none(tmp_path, capsys):
    (tmp_path / "ada.json").write_text(FILE, "utf-8")
    (tmp_path / "other.json").write_text("{}")
    code = collect.main([str(tmp_path / "ada.json"), str(tmp_path / "other.json")])
    said = capsys.readouterr()
    assert code == collect.WRONG
    assert said.out.splitlines()[1].startswith("Ada,2,3,")
    assert "other.json: this is no file of results" in said.err
    assert collect.main([str(tmp_path / "ada.json")]) == collect.FINE


def test_a_name_in_the_table_is_no_formula(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.json").write_text(to_json("=1+1", [WRONG]), "utf-8")
    monkeypatch.setattr(sys, "argv", ["espalier", "practice", "collect", str(tmp_path / "a.json")])
    with pytest.raises(SystemExit, match="0"):
        command.main()
    assert "'=1+1" in capsys.readouterr().out
