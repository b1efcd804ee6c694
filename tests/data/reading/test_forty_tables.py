"""Tables as people have them are read as they mean them, or the question is asked that nobody else can answer."""

import pytest

from tests.data.reading.tables import laboratories, offices, people, programs, surveys
from tests.data.reading.tables.making import lines
from tests.data.reading.tables.truth import TABLES, KnownTable, differences, number, text

MODULES = (offices, people, programs, surveys, laboratories)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_table_is_read_as_its_truth_says_or_what_must_be_asked_is_asked(module):
    tables = [table() for table in TABLES[module.__name__]]
    wrong = [(table.what, finding) for table in tables for finding in differences(table)]
    assert len(tables) >= 8
    assert wrong == []


def test_a_difference_from_the_truth_is_found():
    """The comparison itself: kinds, cells, names, numbers of rows, and questions that are not asked."""
    content = lines("size,colour", *(f"{i + 0.5},{'red' if i % 2 else 'blue'}" for i in range(8))).encode()
    right = KnownTable("", "x.csv", content, {"size": number(0.5, 1.5), "colour": text("blue", "red")}, 8)
    assert differences(right) == []
    other = {
        "kind": right._replace(columns={"size": text("0.5"), "colour": text("blue")}),
        "cells": right._replace(columns={"size": number(0.5, 2.5), "colour": text("blue")}),
        "names": right._replace(columns={"size": number(0.5)}),
        "rows": right._replace(n_rows=9),
        "question": right._replace(asks=("decimal",)),
        "refusal": right._replace(asks=("refusal",)),
    }
    assert {name: len(differences(table)) for name, table in other.items()} == dict.fromkeys(other, 1)
