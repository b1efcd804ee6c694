"""Row numbers in a file, as people write them."""

import pytest

from espalier.data.rows.numbers import row_numbers
from espalier.language import Refusal
from tests.tools.cases import case


@pytest.mark.parametrize(
    "text", ["1\n3\n5", "row\n5\n3\n1\n", "1, 3;5", '"1"\n"3"\n"5"', "1\t3 5 3", "\n1\r\n\r\n3\r\n5"]
)
def test_numbers_may_stand_in_lines_or_behind_each_other_under_a_heading(text):
    assert row_numbers(text, 5).tolist() == [0, 2, 4]


def test_what_is_no_row_of_the_table_is_refused_with_its_line():
    for text, said in [
        ("", "names no row"),
        ("row\n", "names no row"),
        ("1\ntwo", "line 2 has “two”"),
        ("1\n0", "line 2 names row 0; the table has rows 1 to 5"),
        ("1\n6", "line 2 names row 6; the table has rows 1 to 5"),
        ("1.5", "line 1 has “1.5”"),
        ("-1", "line 1 has “-1”"),
        ("1\n²", "line 2 has “²”"),
        ("9" * 30, "line 1 has"),
    ]:
        with case((text, said)), pytest.raises(Refusal, match=said):
            row_numbers(text, 5)
