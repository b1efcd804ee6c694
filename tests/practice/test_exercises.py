"""Exercises: their answers against naive versions, and laws that hold for hundreds of seeds."""

import itertools
import json
import math
import random
import re
import sys

import numpy as np
import pytest

from espalier import __main__ as command
from espalier.language import Refusal, english
from espalier.practice import KINDS, LEVELS, exercise, results, series, trees, verdict
from espalier.practice import exercises as plane
from espalier.practice.exercises import cells
from espalier.practice.results import GivenAnswer, digest, read, table, to_json
from tests.practice import naive
from tests.tools.selection import seeds

LATER = 60  # seeds that are tried with --rest alone
SLOW = {"errors": 200, "region": 200, "surface": 200, "drawing": 60}  # seeds of kinds whose naive version is slow
ALL = list(itertools.product(KINDS, LEVELS))


@pytest.fixture(scope="module")
def exercises():
    """Twenty exercises of every kind and level."""
    return {pair: [exercise(*pair, seed) for seed in range(20)] for pair in ALL}


@pytest.mark.parametrize(("kind", "level"), ALL)
def test_no_mistake_leads_to_the_right_answer_and_every_wrong_one_has_its_own_meaning(kind, level, exercises):
    for one in exercises[kind, level]:
        assert plane.is_clear(one)
        assert verdict(one, written(one, one.right)) == (True, None)
        for mistake in one.mistakes:
            assert verdict(one, written(one, mistake.answer)) == (False, mistake.meaning)


@seeds(LATER, 500)
@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_only_one_and_that_of_a_naive_version(kind, seeds):
    """The naive answer is None where the best is not the only one."""
    for seed in seeds[: SLOW.get(kind, 500)]:
        level = LEVELS[seed % 3]
        one = exercise(kind, level, seed)
        assert naive.ANSWERS[kind](one, level) == pytest.approx(one.right, abs=1e-9), seed


def test_an_exercise_of_a_seed_is_always_the_same_has_no_empty_column_and_numbers_for_paper(exercises):
    for (kind, level), some in exercises.items():
        texts = [shown(one) for one in some]
        assert shown(exercise(kind, level, 5)) == texts[5], kind
        assert len(set(texts)) > 3, (kind, level)
    for one in itertools.chain(*exercises.values()):
        cells = [cell for row in one.table.rows for cell in row] if one.table else []
        assert all(cell <= 60 for cell in cells if isinstance(cell, int | float)), one
        assert len(one.steps) <= 7, one
        for column in zip(one.table.heads, *one.table.rows, strict=True) if one.table else ():
            assert any(str(cell).strip() for cell in column), one


def test_an_answer_may_have_a_decimal_comma_and_a_sum_of_squares_is_told_from_the_gini():
    one = next(e for e in (exercise("gain", 1, s) for s in range(50)) if len(str(e.right)) > 6)
    assert verdict(one, f"{one.right:.2f}".replace(".", ",")).is_right
    assert not verdict(one, f"{one.right + 0.02:.2f}").is_right
    assert not verdict(one, "").is_right
    """Two red rows and three green ones: 1 - (4 + 9) / 25 = 0.48."""
    one = next(
        e for e in (exercise("impurity", 1, s) for s in range(100)) if e.table and e.table.rows == ((2, 3),)
    )
    assert verdict(one, "0.48").is_right
    assert "sum of the squares" in str(verdict(one, "0.52").mistake)


def test_a_series_has_every_kind_as_often_as_the_others():
    kinds = series(list(KINDS), 3, 2 * len(KINDS))
    assert sorted(kinds) == sorted([*KINDS, *KINDS])
    assert series(["votes", "gain"], 3) == series(["gain", "votes"], 3)
    assert series(list(KINDS), 3) != series(list(KINDS), 4)


@pytest.mark.parametrize(
    ("kind", "level", "problem"), [("unknown", 1, "no kind"), ("gain", 4, "must be 1, 2 or 3")]
)
def test_what_is_no_exercise_is_refused(kind, level, problem):
    with pytest.raises(ValueError, match=problem):
        exercise(kind, level, 0)


def written(one, answer):
    if one.reading:
        return texts_of(one)[answer]
    return str(int(answer)) if one.choices else repr(answer)


def texts_of(one):
    """The text of a tree that is read as each number: right, or by a mistake."""
    right = shape_of(one.surfaces[0])
    longer = plane.PlaneSplit(0, 5, right, right)
    return {
        trees.SURFACE_IS_RIGHT: plane.shape_text(right),
        trees.COLUMNS_SWAPPED: plane.shape_text(plane.everywhere(right, plane.swap_columns)),
        trees.ANSWERS_SWAPPED: plane.shape_text(plane.everywhere(right, plane.swap_answers)),
        trees.TOO_LONG: plane.shape_text(longer),
        trees.MIXED_LEAVES: plane.NO_SPLIT,
    }


def shown(one):
    with english():
        parts = [
            one.ask,
            *one.steps,
            *one.choices,
            *(c for row in (one.table.rows if one.table else ()) for c in row),
        ]
        drawn = [tree.threshold.tolist() for tree in (one.tree, *one.surfaces) if tree is not None]
        text = " ".join(map(str, [*parts, drawn]))
    assert not re.search(r"[{}]", text)
    assert not math.isnan(one.right)
    assert np.isfinite(one.right)
    return text


KNOWN = plane.PlaneSplit(0, 3, 0, plane.PlaneSplit(1, 6, 1, 2))  # A where x ≤ 3, else B where y ≤ 6, else C


def mistaken(tree, row, mistake):
    """The letter that a row gets from a person who makes a mistake at every split."""
    n = 0
    while tree.left[n] >= 0:
        column, cut = tree.feature[n], tree.threshold[n]
        if mistake == "columns":
            column = 1 - column
        if mistake == "threshold":
            cut = 10 - cut
        n = tree.left[n] if (row[column] <= cut) != (mistake == "yes and no") else tree.right[n]
    return naive.LETTERS[list(tree.value[n]).index(1)]


@pytest.mark.parametrize(
    ("mistake", "word"), [("columns", "columns"), ("threshold", "threshold"), ("yes and no", "yes and no")]
)
def test_a_wrong_surface_is_that_of_a_person_who_makes_the_mistake(mistake, word):
    for seed in range(30):
        one = exercise("surface", 1, seed)
        (place,) = [int(m.answer) for m in one.mistakes if word in str(m.meaning)]
        drawn = one.surfaces[place]
        assert all(
            naive.LETTERS[naive.letter_of(drawn, row)] == mistaken(one.tree, row, mistake) for row in naive.PLACES
        )


@pytest.mark.parametrize("word", ["columns", "threshold"])
def test_from_level_two_on_one_split_alone_is_mistaken(word):
    for seed in range(30):
        one = exercise("surface", 2 + seed % 2, seed)
        (place,) = [int(m.answer) for m in one.mistakes if word in str(m.meaning)]
        wrong, right = one.surfaces[place], one.surfaces[int(one.right)]
        questions = [list(zip(t.feature.tolist(), map(str, t.threshold), strict=True)) for t in (wrong, right)]
        assert sum(a != b for a, b in zip(*questions, strict=True)) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_a_drawn_tree_is_right_if_it_has_the_surface_and_no_more_questions(level):
    """Hundreds of trees, some of which are right, against the naive version."""
    draw = random.Random(level)
    verdicts = []
    for seed in range(12):
        one = exercise("drawing", level, seed)
        right = shape_of(one.surfaces[0])
        for _ in range(12):
            text = plane.shape_text(changed(right, draw))
            verdicts.append(verdict(one, text).is_right)
            assert verdicts[-1] == naive.is_drawn(text, one.surfaces[0], one.ask.values["n"])
    assert True in verdicts
    assert False in verdicts


def changed(shape, draw):
    """The tree, or with a split changed by chance."""
    splits = [node for node, _ in plane.nodes_of(shape) if isinstance(node, plane.PlaneSplit)]
    change = draw.choice(
        [
            lambda s: s,
            plane.swap_answers,
            plane.swap_columns,
            lambda s: s._replace(cut=draw.randint(1, 9)),
            lambda s: plane.PlaneSplit(draw.randrange(2), draw.randint(1, 9), s, s),
        ]
    )
    return plane.at_one(shape, draw.choice(splits), change)


def shape_of(tree, node=0):
    if tree.left[node] < 0:
        return int(tree.value[node].argmax())
    children = [shape_of(tree, int(child[node])) for child in (tree.left, tree.right)]
    return plane.PlaneSplit(int(tree.feature[node]), int(tree.threshold[node]), *children)


def test_a_text_has_the_splits_in_preorder_and_a_cross_may_begin_with_either_column():
    """Four quarters: x first and then y twice, or y first and then x twice."""
    first_x = plane.PlaneSplit(0, 5, plane.PlaneSplit(1, 5, 0, 1), plane.PlaneSplit(1, 5, 2, 3))
    first_y, other = plane.read_shape("y5 x5 - - x5 - -"), plane.read_shape("y5 x5 - - x6 - -")
    assert first_y
    assert other
    assert plane.parts_as(first_y, first_x)
    assert not plane.parts_as(other, first_x)
    assert plane.shape_text(KNOWN) == "x3 - y6 - -"
    assert plane.read_shape("x3 - y6 - -") == KNOWN
    assert cells(KNOWN)[[0, 35, 99]].tolist() == [0, 1, 2]


@pytest.mark.parametrize("text", ["", "x3", "x3 - - -", "x0 - -", "x10 - -", "z3 - -", "- -", "x3 - " * 40, "1.5"])
def test_a_text_of_no_tree_is_no_answer(text):
    assert plane.read_shape(text) is None
    assert verdict(exercise("drawing", 1, 0), text) == (False, None)


def right_answer(kind, level=1, seed=4):
    one = exercise(kind, level, seed)
    text = str(int(one.right)) if one.choices else f"{one.right:.2f}"
    return GivenAnswer(kind, level, seed, text, True, 30)


WRONG = GivenAnswer("votes", 1, 4, "9", False, 30)
FILE = to_json("Ada", [right_answer("variance"), right_answer("gain"), WRONG])


def edited(**changes):
    return json.dumps(json.loads(FILE) | changes).encode()


def test_a_file_is_read_as_it_was_written_and_an_answer_that_is_wrong_stays_wrong_whatever_its_digest():
    result = read(FILE.encode())
    assert (result.name, result.is_whole) == ("Ada", True)
    assert [one.is_right for one in result.answers] == [True, True, False]
    assert not read(edited(name="Bob")).is_whole
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
    code = results.main([str(tmp_path / "ada.json"), str(tmp_path / "other.json")])
    said = capsys.readouterr()
    assert code == results.WRONG
    assert said.out.splitlines()[1].startswith("Ada,2,3,")
    assert "other.json: this is no file of results" in said.err
    assert results.main([str(tmp_path / "ada.json")]) == results.FINE


def test_a_name_in_the_table_is_no_formula(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.json").write_text(to_json("=1+1", [WRONG]), "utf-8")
    monkeypatch.setattr(sys, "argv", ["espalier", "practice", "collect", str(tmp_path / "a.json")])
    with pytest.raises(SystemExit, match="0"):
        command.main()
    assert "'=1+1" in capsys.readouterr().out
