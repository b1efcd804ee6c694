"""No text of a table is a formula to the spreadsheet program that opens it."""

import csv
import io

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from espalier.display.tables import to_csv
from tests.tools.cases import case


def written(*texts):
    """The cells of a column of these texts, as they stand in the file."""
    table = pd.DataFrame({"x": list(texts), "y": 1})
    return [row[0] for row in csv.reader(io.StringIO(to_csv(table), newline=""))][1:]


FORMULAS = ['=HYPERLINK("http://x")', "+x", "-x", "@SUM(1)", "\t=1", "\r=1", " =1", "\uff1d1"]
PLAIN = ["-1", "+3.5e-2", "red", "a-b", "1 = 1", "x > 2"]


def test_a_text_that_would_be_a_formula_has_an_apostrophe_before_it_also_after_a_mark_and_in_names_of_columns():
    for text in FORMULAS:
        with case(text):
            assert written(text)[0].startswith("'")
    assert written("a;=1", "a\n@x") == ["a;'=1", "a\n'@x"]
    table = pd.DataFrame([[1, 2]], columns=["=x", "=x"])
    assert to_csv(table) == "'=x,'=x\n1,2\n"


def test_numbers_and_plain_texts_stay_as_they_are():
    assert written("-1", "+3.5e-2", "red", "a-b", "1 = 1", "x > 2") == [
        "-1",
        "+3.5e-2",
        "red",
        "a-b",
        "1 = 1",
        "x > 2",
    ]
    assert to_csv(pd.DataFrame({"a": [-1.5, float("nan")], "b": [True, False]})) == "a,b\n-1.5,True\n,False\n"


@given(st.text(alphabet="=+-@ \t;1e.a\n"))
def test_no_cell_begins_as_formulas_do_unless_it_is_a_number(text):
    cell = written(text)[0]
    if cell[:1] in ("=", "+", "-", "@", "\t"):
        float(cell)
