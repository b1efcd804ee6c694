"""What could be read in another way is asked, in a sentence with the column's name, and only then."""

import numpy as np
import pandas as pd
import pytest

from espalier.data.table import read_table
from tests.tools.cases import case


def notes(columns, n=30):
    """The notes on a table of these columns, each with its cells again and again, as tabs part them."""
    rows = zip(*([cells[i % len(cells)] for i in range(n)] for cells in columns.values()), strict=True)
    text = "\n".join(["\t".join(columns), *("\t".join(map(str, row)) for row in rows)])
    return read_table(text.encode(), "x.tsv").notes


def asked(name, cells, **others):
    """The notes that name this column."""
    return [note for note in notes({name: cells, "other": "ab", **others}) if f"“{name}”" in note]


def test_cells_that_keep_a_column_from_being_numbers_are_named():
    for cells, told in [
        (("<0.5", "12.3", "0.8", ">200"), "<0.5"),  # limits of a method
        (("1,012.50 CR", "1,104.25 DR", "80.00 DR"), "CR"),  # of a bank
        (("1.012,50-", "1.104,25", "80,00-"), "80,00-"),  # a minus behind the number
        (("12.3 p", "11.8", "10.4 e"), "12.3 p"),  # provisional, estimated
        (("393,600[2]", "5,488,984", "54,676"), "393,600[2]"),
        (("14.4*", "3.8", "138†"), "138†"),
        (("12", "3", "40", "sold out"), "sold out"),
        (("0.9", "OVRFLW", "12.4", "1.1"), "OVRFLW"),
        (("12K", "3.4M", "980"), "3.4M"),
        (("$1.2M", "$340K", "$2.5B"), "$340K"),
        (("1,2 Mio.", "340 Tsd.", "2,5 Mrd."), "Mio."),
    ]:
        with case((cells, told)):
            (note,) = asked("conc", cells)
            assert told in note
            assert "holds numbers, but also" in note


def test_codes_steps_times_and_addresses_are_not_taken_for_numbers_with_marks():
    for cells in [
        ("12", "7a", "3b", "112c"),  # house numbers
        ("001", "002 B", "003"),  # codes
        ("1", "2", "3", "4+"),  # steps
        ("<1", "1-5", "6-10", ">10"),
        ("4711 Main St", "12 High St", "5 Rue de la Paix"),
        ("A1", "A2", "H12"),
        ("3 days", "4 days 02:00", "1 day"),
        ("1:02:33", "0:59:48"),
        ("05 Jan 2024", "06 Feb 2024", "07 Mar 2024"),
    ]:
        with case(cells):
            assert not [note for note in asked("x", cells) if "holds numbers, but also" in note]


@pytest.mark.parametrize("mark", [";", ", ", " | "])
def test_several_answers_in_a_cell_are_told_with_the_answers(mark):
    cells = [
        mark.join(answers) for answers in (["R", "Excel"], ["R"], ["SPSS", "R"], ["Excel"], ["Excel", "SPSS"])
    ]
    (note,) = asked("tools", cells)
    assert all(f"“{answer}”" in note for answer in ("R", "Excel", "SPSS"))


@pytest.mark.parametrize("cells", [
    ("Doe, Jane", "Roe, Max", "Li, Bo", "Li, An"), ("Köln, DE", "Bonn, DE", "Lyon, FR", "Paris, FR"),
    ("so, so", "good", "bad", "very bad"), ("A/G", "A/A", "G/G"),
])  # fmt: skip
def test_names_and_places_with_commas_are_no_several_answers(cells):
    assert not [note for note in asked("x", cells) if "several answers" in note]


def test_several_numbers_in_a_cell_are_told():
    for cells in [
        ("120/80", "135/85", "118/79", "142/95", "110/70"),  # blood pressure
        ("1920x1080", "1366 x 768", "2560×1440", "1280x720", "800x600"),
        ("52.52, 13.40", "48.14, 11.58", "-33.87, 151.21", "50.94, 6.96", "51.05, 13.74"),
        ("2-1", "0-0", "3-1", "1-1", "4-2"),
        ("5'11\"", "6'2\"", "5'9\"", "5'7\"", "6'0\""),
        ("52°31'N", "48°8'N", "53°33'N", "50°56'N", "51°3'N"),
        ("10x20x5", "12x20x5", "10x15x3", "8x8x8", "20x20x10"),
    ]:
        with case(cells):
            (note,) = asked("x", cells)
            assert "several numbers" in note


@pytest.mark.parametrize(
    "cells",
    [
        ("030-901820", "030-901821", "0221-4711", "089-1234", "089-1235"),  # phones
        ("2019/20", "2020/21", "2021/22", "2022/23", "2023/24"),
        ("18-24", "25-34", "35-44", "45-54", "55-64"),
        ("1/2/2024", "3/4/2024", "5/6/2024", "7/8/2024", "9/1/2024"),
        ("12:30", "14:15", "9:05", "10:45", "23:59"),
        ("0/0", "0/1", "1/1"),
    ],
)
def test_phones_periods_ranges_and_dates_are_not_several_numbers(cells):
    assert not [note for note in asked("x", cells) if "several numbers" in note]


def test_numbers_of_which_some_have_a_point_and_others_a_comma_are_told():
    (note,) = asked("x", ("1.5", "2,5", "3.25", "7"))
    assert "“2,5”" in note


def test_a_box_that_is_checked_or_empty_is_told_and_one_that_is_always_checked_is_not():
    (note,) = [note for note in asked("Q3_1", ("selected", "", "")) if "empty" in note]
    assert "“selected”" in note
    assert not [note for note in asked("Q3_1", ("selected",)) if "empty" in note]


def test_where_many_columns_raise_a_question_the_others_are_only_named():
    columns = {f"box {i}": ("x", "") for i in range(12)}
    told = [note for note in notes({**columns, "y": "ab"}) if "box" in note and "empty" in note]
    assert len(told) == 3
    (last,) = [note for note in notes({**columns, "y": "ab"}) if note.startswith("The same goes")]
    assert all(f"“box {i}”" in last for i in range(3, 12))


def test_a_lone_code_below_zero_among_numbers_of_at_least_zero_is_asked_about():
    (note,) = asked("income", (1200.5, 0, 2300, -99))
    assert "−99" in note or "-99" in note
    assert not asked("change", (150, -99, -3, 88))
    assert not asked("label", (-1, 1, 0))


def test_dates_written_as_numbers_are_asked_about_and_other_numbers_of_that_size_are_not():
    days = [int(day.strftime("%Y%m%d")) for day in pd.date_range("2024-01-05", periods=30)]
    assert "2024-01-05" in asked("day", days)[0]
    assert not asked("price", [20_240_100 + 977 * i for i in range(30)])
    seconds = [1_704_448_800 + 600 * i for i in range(30)]
    assert "2024-01-05" in asked("epoch", seconds)[0]
    assert "2024-01-05" in asked("created_time", [1000 * x for x in seconds])[0]
    assert not asked("population", seconds)


def test_hours_that_may_be_minutes_are_asked_about_and_times_of_day_are_not():
    (note,) = asked("time", ("1:02:33", "59:48", "1:10:05"))
    assert "“59:48”" in note
    assert "“0:59:48”" in note
    assert "“0:04:27”" in asked("pace", ("4:27", "4:15", "4:58"))[0]
    assert not asked("start", ("4:27", "4:15", "4:58"))
    assert not asked("time", ("1:02:33", "0:59:48"))


def test_a_column_of_signs_beside_amounts_without_a_minus_is_asked_about():
    (note,) = asked("S/H", "SHS", Betrag=(12.5, 80, 3))
    assert "“Betrag”" in note
    assert not asked("S/H", "SHS", Betrag=(12.5, -80, 3))
    assert not asked("sex", "mwm", Betrag=(12.5, 80, 3))


@pytest.mark.parametrize("word", ["Total", "Grand total", "Summe", "Gesamtsumme", "Total:"])
def test_a_last_row_of_totals_is_asked_about_wherever_it_comes_from(word):
    rows = [("north", 3), ("south", 4), ("east", 5), (word, 12)]
    text = "".join(f"{name},{n}\n" for name, n in (("region", "n"), *rows))
    assert [note for note in read_table(text.encode(), "x.csv").notes if f"“{word}”" in note]
    frame = pd.DataFrame({"region": [name for name, _ in rows], "n": np.array([n for _, n in rows], float)})
    lines = frame.to_json(orient="records", lines=True) or ""
    assert [note for note in read_table(lines.encode(), "x.jsonl").notes if f"“{word}”" in note]
