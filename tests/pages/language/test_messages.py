"""Errors and notes on a table, its columns and its filters come in the language of the page that asked."""

import pandas as pd
import pytest

from espalier.data import samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.errors import TableError, counted, listed, quoted
from espalier.data.reading import contents
from espalier.data.reading.table import read_table
from espalier.data.rows.conditions import FilterError
from espalier.data.rows.filters import filter_of
from espalier.data.rows.subset import subset
from espalier.language import ENGLISH, say, speak
from pages.shared.jobs import note, sentences
from pages.shared.jobs.job import Outcome
from tests.tools.phrases import narrow, pseudo_language

BAD_FILES = {  # content, and the words of the message that are data or formats
    "empty": (b"", set()),
    "unequal rows": (b"a,b,c\n1,2,3\n1,2\n", set()),
    "one column": (b"height\n1\n2\n", {"height"}),
    "a picture": (b"\x89PNG....", {"CSV", "TSV", "Excel", "xlsx", "Parquet", "ARFF", "JSON", "gz", "zip"}),
    "no rows": (b"a,b\n", set()),
}
BAD_FILTERS = {
    "no such column": ("mass~gt~2", {"mass", "species", *(one.name for one in samples.load("iris").features)}),
    "no number": ("petal length~gt~long", {"petal", "length", "long"}),
    "no row": ("petal length~gt~99", set()),
    "no filter": ("petal", {"petal", "length", "gt"}),
}


@pytest.fixture
def german():
    speak("de")
    yield
    speak(ENGLISH)


def refusal(action, error):
    with pytest.raises(error) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize("case", BAD_FILES)
def test_the_error_of_a_bad_file_consists_of_phrases(case, monkeypatch):
    source, data = BAD_FILES[case]
    with pseudo_language(monkeypatch):
        text = refusal(lambda: read_table(source, "x.csv"), TableError)
    assert not set(narrow(text)) - data


@pytest.mark.parametrize("case", BAD_FILTERS)
def test_the_error_of_a_bad_filter_consists_of_phrases(case, monkeypatch):
    text, data = BAD_FILTERS[case]
    iris = samples.load("iris")
    with pseudo_language(monkeypatch):
        said = refusal(lambda: subset(iris, filter_of(text)), FilterError)
    assert not set(narrow(said)) - {word for name in data for word in name.split()}


def test_notes_on_a_table_consist_of_phrases(monkeypatch):
    source = b"title\n\na,,c\n-999,NA,$3\n2,5,$4\n3,6,$5\n4,7,$6\n"
    with pseudo_language(monkeypatch):
        table = read_table(source, "x.csv")
        notes = " ".join([*table.notes, *(choice.question for choice in table.choices)])
    assert len(table.notes) > 2
    assert not set(narrow(notes)) - {"title", "a", "NA", "column", "c"}


def test_a_file_is_read_beside_the_page_in_its_language(german):
    asked = contents.question(b"a,b,c\n1,2,3\n1,2\n", "x.csv", None)
    speak(ENGLISH)  # of the process that reads
    answer = contents.service()(asked, lambda told: None)
    assert answer["wrong"][0] == "Nicht alle Zeilen haben gleich viele Zellen."


def test_a_bad_target_is_refused_in_german(german):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "a"]})
    text = refusal(lambda: to_dataset(frame, guess_kinds(frame), "y", "t"), TableError)
    assert text.startswith("Das Ziel „y“ hat nur einen Wert.")


def test_lists_and_numbers_in_messages_are_german(german):
    assert listed(["a", "b", "c"]) == "a, b und c"
    assert listed(list("abcdefg")) == "a, b, c, d, e und 2 weitere"
    assert (counted(1, "row"), counted(2000, "cell")) == ("1 Zeile", "2\N{NARROW NO-BREAK SPACE}000 Zellen")
    assert quoted("x") == "„x“"


@pytest.mark.parametrize("fault", [{"is_fault": True}, {"lacks_memory": True}])
def test_a_fault_that_an_english_page_found_is_told_in_german_on_a_german_one(fault, german):
    speak(ENGLISH)
    text = sentences.SERVER_FAULT if "is_fault" in fault else sentences.TOO_LITTLE_MEMORY
    found = Outcome(wrong=text, **fault)
    assert note.reason(found) == found.wrong
    speak("de")
    assert note.reason(found) == say(text) != found.wrong
