"""The page that scores new rows, without a browser."""

import io

import numpy as np
import pandas as pd

from espalier.data import samples
from espalier.data.columns.convert import to_dataset
from espalier.data.contents import contents
from espalier.data.roles import RowLabels
from espalier.learners import CartClassifier
from espalier.new_rows.answers import TableModel
from espalier.new_rows.scoring import example_file, new_rows_of
from espalier.progress import Progress
from pages.shared.data import library
from pages.shared.new_rows import rows as page_rows
from pages.shared.new_rows import scoring
from tests.tools.on_page import address_of, begin_page, pictures, press, settle, until_grown, words_of

QUICK = {"m1": "cart", "m1-depth": "2"}
ROWS = b"""customer,Petal_Length,petal width,remark,species
1543,1.4,0.2,a,setosa
1544,9,wide,b,virginica
1545,5,1.6,c,
"""


def open_rows(file=None, name="rows.csv", **parts):
    page = begin_page("new_rows", **({} if file is None else {"rows": "file"}) | parts)
    return until_grown(page if file is None else bring(page, file, name))


def bring(page, file, name="rows.csv"):
    """The page with this file, as if it had been uploaded."""
    page.session_state[page_rows.KEY] = None
    page.text_area(key=page_rows.PASTED).set_value(file.decode())
    next(button for button in page.button if button.label == "Read the pasted rows").click()
    return page.run()


def listed(page):
    return next(one.value for one in page.dataframe if "for an expert" in one.value and "doubt" in one.value)


def test_a_file_is_matched_scored_and_listed_under_its_labels_and_can_be_discarded():
    page = open_rows(ROWS, **QUICK)
    assert "“petal length” from “Petal" in words_of(page).replace("\\", "")
    assert "Not used: “remark”" in words_of(page).replace("\\", "")
    assert "“petal width” cannot be read in 1 of 3 rows" in words_of(page).replace("\\", "")
    table = listed(page)
    assert table["customer"].tolist() == ["1543", "1544", "1545"]
    assert table["answer"].iloc[0] == "setosa"
    assert table["for an expert"].tolist()[1]
    assert "petal width cannot be read: “wide”" in table["why"].iloc[1]
    assert page.table[0].value["right"].iloc[2] == "1 of 2"
    page = until_grown(press(page, "Discard"))
    assert "One row is enough" in words_of(page)


def test_one_row_is_enough_is_told_in_words_and_its_columns_may_be_matched_by_hand(monkeypatch):
    page = open_rows(b"id,petal length,petal width,sepal length,sepal width\n77,1.4,0.2,5.1,3.5\n", **QUICK)
    assert "**id 77**: the model says **setosa**" in words_of(page)
    assert "What matters most: petal" in words_of(page).replace("\\", "")

    def by_hand(table, **options):
        return table.assign(source=["", "", "x", "y", ""])

    monkeypatch.setattr(page_rows.st, "data_editor", by_hand)
    page = open_rows(b"who,x,y\nann,1.4,0.2\n", **QUICK)
    assert "**who ann**: the model says **setosa**" in words_of(page)


def test_the_rows_held_out_stand_in_for_a_file_half_of_them_judge_and_every_row_is_saved():
    page = open_rows(**QUICK)
    assert "22 of the rows held out stand for new ones; 23 judge the model." in words_of(page)
    table = listed(page)
    assert len(table) == 22
    assert table["is right"].mean() > 0.8
    assert "rows" not in address_of(page)
    assert page.table[0].value.loc["all rows", "rows"] == "22"
    assert [one for one in pictures(page) if "22 rows by the doubt of their answers" in one]
    assert [one for one in page.get("download_button") if one.label == "Save 22 rows (.csv)"]


def test_the_list_is_filtered_to_the_rows_for_an_expert_and_to_wrong_answers():
    page = open_rows(**QUICK, data="breast-cancer", listed="expert")
    assert listed(page)["for an expert"].all()
    assert (listed(page)["doubt"].diff().dropna() <= 0).all()
    page = settle(page.segmented_control(key="listed").set_value("wrong"))
    assert address_of(page)["listed"] == "wrong"
    assert not listed(page)["is right"].any()


def test_numbers_have_intervals_and_trees_as_good_as_an_optimal_one_are_a_reason():
    page = open_rows(**QUICK, data="diabetes")
    table = listed(page)
    assert (table["from"] < table["answer"]).all()
    assert (table["answer"] < table["to"]).all()
    assert "Answers ± " in words_of(page)
    page = open_rows(m1="optimal", **{"m1-depth": "2"})
    assert "trees as good say another class" in words_of(page)
    page = open_rows(ROWS, **QUICK, held="0")
    assert "Too few rows judge the model" in words_of(page)
    assert "promised" not in listed(page)


def test_without_a_file_the_page_says_what_it_needs_and_one_of_no_use_gets_an_error_that_says_what_to_do():
    page = open_rows(**QUICK, rows="file")
    assert "One row is enough" in words_of(page)
    assert any(button.label == "An example file (.csv)" for button in page.get("download_button"))
    for file, said in (
        (b"", "The file is empty."),
        (b"junk", "The table has no rows."),
        (b"a,b\n1,2\n3,4\n", "The file has no column of the model."),
    ):
        bring(page, file)
        assert said in page.error[0].value.replace("\\", "")
        assert not [one for one in page.dataframe if "doubt" in one.value]


def test_many_rows_and_large_trees_do_without_the_columns_and_a_link_that_asks_for_them_says_so(monkeypatch):
    monkeypatch.setattr(scoring, "MOST_WORK", 1)
    page = open_rows(**QUICK, reasons="yes")
    assert "matters most" not in listed(page)
    assert "where that is quick" in page.warning[0].value


def test_rows_held_out_have_the_labels_of_the_table_and_an_example_file_is_scored_as_it_is():
    data = samples.load("iris")
    named = data._replace(
        roles=data.roles._replace(labels=RowLabels("plant", tuple(f"p{i}" for i in range(150)))), digest="labelled"
    )
    library.store().put(named)
    page = open_rows(**QUICK, data="labelled")
    assert listed(page)["plant"].str.startswith("p").all()
    data = samples.load("iris")
    file = example_file(data, pd.RangeIndex(0, 150, 15).to_numpy())
    assert list(pd.read_csv(io.StringIO(file)).columns) == [feature.name for feature in data.features]
    page = open_rows(file.encode(), **QUICK)
    assert len(listed(page)) == 10
    assert "4 of 4 columns of the model are in the file" in words_of(page)


def test_versions_are_as_they_are_written_although_the_new_file_alone_would_have_them_as_numbers():
    file = "version,u,fails\n" + "".join(
        f"1.{'10' if i % 3 else '1'},{i % 7}.5,{'ny'[i % 3 == 0]}\n" for i in range(90)
    )
    found = contents(file.encode(), "a.csv")
    data = to_dataset(found.table.frame, found.plans, "fails", "a", found.table.origins)[0]
    library.store().put(data._replace(digest="versions"))
    page = open_rows(b"Version,u\n1.10,2.5\n1.10,3.5\n", **QUICK, data="versions")
    assert listed(page)["answer"].tolist() == ["n", "n"]


def test_a_file_that_leaves_its_numbers_open_is_shown_in_two_readings_and_the_other_is_one_click_away():
    page = open_rows(b"petal length;petal width\n1,400;1,200\n5,100;1,800\n", **QUICK)
    assert "Which number is “1,400”?" in words_of(page).replace("\\", "")
    assert listed(page)["answer"].tolist() == ["setosa", "virginica"]
    assert listed(until_grown(press(page, "Read it so")))["answer"].tolist() == ["virginica"] * 2  # of 1400, 5100


def test_rows_are_scored_by_models_of_every_form():
    for kind in ("cultivated", "model-tree", "oblique", "gradient", "bagged"):
        for data in ("iris", "diabetes"):
            table = listed(open_rows(m1=kind, data=data, **({"m1-trees": "3"} if kind == "bagged" else {})))
            assert ("matters most" in table) == (kind in ("gradient", "bagged"))
            assert table["why"].astype(bool).tolist() == table["for an expert"].tolist()


def test_work_that_is_stopped_has_no_answers():
    iris, every = samples.load("iris"), np.ones(150, bool)
    tree = CartClassifier(max_depth=1).fit(iris.X, iris.y)
    rows = new_rows_of(iris, np.arange(5))
    work = scoring.RowsAtWork("key", "CART", TableModel(tree, iris, every, every), rows, True).work
    assert work.call(Progress(is_stopped=True)) is None
    progress = Progress()
    _, said, _ = work.call(progress)
    assert len(said.doubt) == 5
    assert progress.done == work.total
