"""A person's own model on the pages; what the Tree page says of columns holds for models of others."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from espalier.data import filter_of, samples
from espalier.learners.imports import read_file, read_model
from pages.shared.app import links
from pages.shared.data import library
from pages.shared.own_models import trained, uploads
from tests.findings.planted import known_after, planned
from tests.tools.on_page import (
    address_of,
    captions,
    open_page,
    open_tree,
    opened,
    settle,
    until_grown,
    whole,
    words_of,
)

IRIS = samples.load("iris")
TRAINED = np.arange(0, 150, 2)
THEIRS = RandomForestClassifier(8, max_depth=3, random_state=0).fit(IRIS.X[TRAINED], IRIS.y[TRAINED])
RIGHT = (THEIRS.predict(IRIS.X) == IRIS.y)[1::2].mean()  # on the other rows
DIGEST = "ab" * 16
ODD = "row number~in~" + ",".join(str(row + 1) for row in TRAINED)


def written(forest):
    """The file of a forest of classes, as `espalier-trees`."""
    trees = [
        {
            "feature": tree.feature.tolist(), "threshold": [float(t) if t == t else None for t in tree.threshold],
            "left": tree.left.tolist(), "right": tree.right.tolist(), "value": tree.value.tolist(),
        }
        for tree in forest.trees
    ]  # fmt: skip
    names = [{"name": feature.name} for feature in IRIS.features]
    head = {"format": "espalier-trees", "version": 1, "combine": "mean", "features": names}
    return json.dumps(head | {"classes": list(IRIS.classes), "trees": trees}).encode()


@pytest.fixture(autouse=True)
def brought(monkeypatch):
    monkeypatch.setattr(uploads, "read_apart", read_file)  # the process is tested with its reader
    uploads.store().put(DIGEST, written(read_model(THEIRS).forest_))


def open_own(name, **address):
    return open_page(name, **({"data": "iris", "onnx": DIGEST, "folds": "3"} | address))


def test_compare_scores_and_tests_it_on_the_rows_that_it_was_not_trained_on():
    page = open_own("compare", m1="own", m2="baseline", m3="none", m4="none", trained=ODD)
    table = page.dataframe[0].value
    assert str(table.loc["accuracy ↑", "Your model"]).startswith(f"{100 * RIGHT:.1f} %")
    assert "75 of 150 rows that it was not trained on" in words_of(page)
    assert "rows of each fold that are new to it" in words_of(page)
    (pairs,) = (one.value for one in page.table if "verdict" in one.value)
    assert pairs.loc["Your model", ["beside", "verdict"]].tolist() == ["Baseline", "clear"]


def test_where_it_is_not_known_what_it_was_trained_on_every_score_says_so_and_without_a_row_what_to_do():
    page = open_own("compare", m1="own", m2="own", m3="none", m4="none")
    assert "rows that it may have been trained on" in words_of(page)
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", trained="all")
    assert "so none is left to judge it" in words_of(page)
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", onnx="cd" * 16)
    assert "Upload the file again" in words_of(page)


def test_reliability_asks_each_about_the_rows_new_to_it_and_fits_none_again():
    page = open_own("reliability", m1="own", m2="none", m3="none", trained=ODD, row="2")
    assert "models on redrawn rows" not in words_of(page)
    page = open_own("reliability", m1="own", m2="none", m3="none", trained=ODD, row="1")
    assert "Your model was trained on this row." in words_of(page)


def test_a_forest_of_another_library_stands_beside_ours_or_another_with_errors_as_sure_as_what_was_said():
    page = open_own("forests", a="own", **{"b-trees": "5", "trained": ODD, "tab": "Trees"})
    assert "8 trees" in words_of(page)
    assert f"held out **{100 * (1 - RIGHT):.1f} %**" in words_of(page)
    assert "75 of 150 rows that it was not trained on" in words_of(page)
    page = open_own("forests", a="own", **{"b-trees": "5", "trained": "unknown"})
    assert "rows that it may have been trained on" in words_of(page)


def test_a_link_restores_the_model_with_its_columns_classes_and_rows_and_one_that_is_gone_is_asked_for():
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", trained="none", classes="0-1-2")
    assert set_on(page) == {"ap-onnx": DIGEST, "ap-classes": "0-1-2", "ap-columns": "", "own-trained": "none"}
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", **{"m1-file": "cd" * 16})
    assert "one model of your own at a time" in page.warning[0].value


def set_on(page):
    keys = ("ap-onnx", "ap-classes", "ap-columns", "own-trained")
    return {key: page.session_state[key] for key in keys}


def test_the_file_of_these_tests_is_the_forest():
    ours: Any = read_file(written(read_model(THEIRS).forest_))
    assert np.allclose(ours.predict_proba(IRIS.X), THEIRS.predict_proba(IRIS.X), atol=1e-12)


def test_new_rows_are_scored_by_it_and_the_rows_that_it_was_not_trained_on_judge_it():
    page = open_own("new_rows", m1="own", trained=ODD, rows="held")
    assert "37 of the rows held out stand for new ones; 38 judge the model." in words_of(page)
    table = next(one.value for one in page.dataframe if "for an expert" in one.value and "why" in one.value)
    places = table["row of the table"].astype(int).to_numpy() - 1
    assert not set(places) & set(TRAINED)
    assert table["answer"].tolist() == [IRIS.classes[code] for code in THEIRS.predict(IRIS.X[places])]


def n_rows(text):
    found = trained.mask(IRIS, text)
    return None if found is None else int(found.sum())


def test_words_or_a_column_mark_the_rows_that_a_model_was_trained_on_and_other_texts_are_refused():
    assert [n_rows(text) for text in ("", "none", "all", "column")] == [None, 0, 150, None]
    text = "species~in~setosa,virginica"
    assert trained.entry().read(text) == filter_of(text).text
    assert n_rows(text) == 100
    with pytest.raises(links.Gone, match="files of row numbers"):
        trained.entry().read(f"file-{DIGEST}")
    for text in ["some", "a~b"]:
        with pytest.raises(ValueError, match="none, all, or a condition"):
            trained.entry().read(text)


def test_a_model_that_was_trained_on_every_row_cannot_be_judged_and_what_another_table_has_is_named():
    assert "every row" in trained.why_not(IRIS, "all")
    assert not trained.fault(IRIS, "all")
    assert not any(trained.why_not(IRIS, text) for text in ("", "none", "species~in~setosa"))
    assert "mass" in trained.why_not(IRIS, "mass~le~2")
    assert "may have been" in trained.judged_on(IRIS, "")
    assert "150 of 150 rows that it was not trained on" in trained.judged_on(IRIS, "none")
    assert "the 100 of 150 rows that it was not trained on" in trained.judged_on(IRIS, "species~in~setosa")


BMI = "body mass index"
ON_TREE = f"As on the page *Tree*: without {BMI}."
ALONE = {"m1": "cart", "m2": "none", "m3": "none", "m4": "none"}


def asked(page, **address):
    """The questionnaire, whose own bar says how many questions are answered."""
    page.query_params.clear()
    for key, value in address.items():
        page.query_params[key] = value
    return whole(page.switch_page("pages/questionnaire.py").run())


@pytest.fixture
def tree():
    return until_grown(open_tree(data="diabetes", depth="2", without=BMI))


def test_the_tree_says_which_columns_no_split_asks_about_and_why_it_is_a_lone_root_where_none_is_left(tree):
    assert tree.multiselect(key="without columns").value == [BMI]
    assert f"No split asks about {BMI}." in captions(tree)
    assert address_of(tree)["without"] == BMI
    every = tree.multiselect(key="without columns").options
    page = whole(tree.multiselect(key="without columns").set_value(every).run())
    said = "The tree is a lone root: every column is in the list of columns that no split may ask about."
    assert said in " ".join(one.value for one in page.info)


def test_what_columns_offer_at_a_node_leaves_them_out_and_without_any_column_it_says_so(tree):
    for learner in ["cart", "cultivated"]:
        best = "log triglycerides"
        page = until_grown(open_tree(data="diabetes", depth="2", levels="2", model=learner, without=best))
        table = page.dataframe[0].value
        assert len(table) == 9
        assert not table["column"].str.contains(best).any()
        assert "Columns that no split may ask about are not shown." in captions(page)
        if learner == "cultivated":
            assert f"h ≤ {table['h'].min():.0f} +" in captions(page)
        else:
            assert table["gain"].is_monotonic_decreasing
    for learner in ["cart", "cultivated"]:
        every = ",".join(tree.multiselect(key="without columns").options)
        page = until_grown(open_tree(data="diabetes", depth="2", model=learner, without=every))
        assert "No split may ask about any col" in words_of(page)


def test_every_learner_of_the_page_does_without_them():
    for learner, address in [
        ("cultivated", {"levels": "2"}),
        ("optimal", {"height": "2", "cuts": "3"}),
        ("model-tree", {"depth": "2"}),
        ("oblique", {"depth": "2"}),
    ]:
        page = until_grown(open_tree(data="diabetes", model=learner, without=BMI, **address))
        assert f"No split asks about {BMI}." in captions(page)
        assert address_of(page)["without"] == BMI


@pytest.mark.usefixtures("idle")
def test_models_of_other_pages_leave_them_out_and_addresses_have_them(tree):
    for name in ["compare", "reliability", "stability"]:
        links = {} if name == "reliability" else {"m1": "cart", "m2": "cultivated", "m3": "none"}  # Compare's set
        page = opened(tree, name, data="diabetes", **links)
        assert address_of(page)["m1-without"] == address_of(page)["m2-without"] == BMI
        assert captions(page).count(ON_TREE) == 2
    page = opened(tree, "new_rows", data="diabetes", m1="cart")
    assert address_of(page)["m1-without"] == BMI
    assert ON_TREE in captions(page)


def test_so_do_both_forests(tree):
    page = opened(tree, "forests", data="diabetes", **{"a-trees": "5", "b": "gradient", "b-trees": "5"})
    assert address_of(page)["a-without"] == address_of(page)["b-without"] == BMI
    assert captions(page).count(ON_TREE) == 2
    assert captions(page).count(f"No split asks about {BMI}.") == 2


def test_so_does_a_tree_that_stands_in_for_another_model_and_a_questionnaire_of_either(tree):
    link = {"data": "diabetes", "box": "tree", "depth": "2", "samples": "1000"}
    page = opened(tree, "approximate", **link)
    assert address_of(page)["without"] == BMI
    assert ON_TREE in captions(page)
    page = asked(page, data="diabetes")
    assert address_of(page)["without"] == BMI
    page = asked(tree, data="diabetes")
    page = whole(page.button_group(key="asking").set_value("cart").run())
    assert address_of(page)["without"] == BMI
    assert page.multiselect(key="without columns").value == [BMI]


@pytest.mark.usefixtures("idle")
def test_a_column_that_the_root_does_without_by_hand_is_left_out_and_a_model_that_cannot_keep_one_says_so():
    page = until_grown(open_tree(data="diabetes", depth="2", edits="n3"))
    page = opened(page, "compare", data="diabetes", **ALONE)
    assert address_of(page)["m1-without"] == BMI
    assert ON_TREE in captions(page)
    page = until_grown(open_tree(data="diabetes", depth="2", monotone=f"{BMI}:rising"))
    page = opened(page, "compare", data="diabetes", m1="cultivated", m2="baseline", m3="none", m4="none")
    said = f"Set on the page *Tree*, but this model does not keep it: prediction rises with {BMI}."
    assert captions(page).count(said) == 1


def test_a_date_goes_with_its_month_and_weekday_and_a_node_does_without_all_of_it_by_hand():
    data = planned(known_after("date"), "date")
    library.store().put(data)
    names = ["ended", "ended (month)", "ended (weekday)"]
    page = until_grown(open_tree(data=data.digest, depth="2"))

    def left_out(columns):
        widget = page.multiselect(key="without columns").set_value(columns)
        whole(widget.run())
        until_grown(page)
        return page.multiselect(key="without columns").value

    assert left_out(["ended"]) == names
    assert "No split asks about ended." in captions(page)
    assert left_out(["ended", "ended (weekday)"]) == ["ended", "ended (weekday)"]
    assert "No split asks about ended (the date alone) or ended (weekday)." in captions(page).replace("\\", "")
    assert left_out(["ended (weekday)"]) == []
    assert left_out(["ended (month)"]) == ["ended (month)"]
    page = until_grown(open_tree(data=data.digest, depth="2"))
    (button,) = [one for one in page.button if one.label == "Without ended"]
    button.click()
    page = settle(page)
    assert address_of(page)["edits"] == "n3.4.5"


RISING = "body mass index:rising"


@pytest.fixture
def with_directions():
    return until_grown(open_tree(data="diabetes", depth="2", monotone=RISING))


@pytest.mark.usefixtures("idle")
def test_the_same_learner_keeps_them_on_other_pages_and_the_address_has_them(with_directions):
    for name in ["compare", "reliability", "stability"]:
        links = {} if name == "reliability" else {"m1": "cart", "m2": "none", "m3": "none"}  # Compare's set
        page = opened(with_directions, name, data="diabetes", **links)
        assert address_of(page)["m1-monotone"] == RISING
        assert "As on the page *Tree*: prediction rises with body mass index." in captions(page)


@pytest.mark.usefixtures("idle")
def test_without_directions_on_the_tree_a_link_keeps_its_own():
    page = until_grown(open_tree(data="diabetes", depth="2"))
    link = {"data": "diabetes", "m1": "cart", "m1-monotone": RISING, "m2": "none", "m3": "none", "m4": "none"}
    page = opened(page, "compare", **link)
    assert address_of(page)["m1-monotone"] == RISING
    assert "As on the page" not in captions(page)


BY_HAND = "c2_3~Rc4_1.5"  # iris: sepal width ≤ 3, and of the others petal width ≤ 1.5
GIVEN = ":sepal width:3,R:petal width:1.5"
SHORT = "begins with the given split sepal width ≤ 3 and 1 more"


@pytest.fixture
def with_splits():
    return until_grown(open_tree(data="iris", depth="3", edits=BY_HAND))


def test_forests_say_that_they_do_not_keep_the_splits_and_a_questionnaire_asks_them_first(with_splits):
    page = opened(with_splits, "forests", data="iris", **{"a-trees": "5", "b-trees": "5"})
    assert captions(page).count(f"does not keep it: {SHORT}") == 2
    page = whole(with_splits.switch_page("pages/questionnaire.py").run())
    page = whole(page.button_group(key="asking").set_value("cart").run())
    assert address_of(page)["given"] == GIVEN
    assert f"As on the page *Tree*: {SHORT}." in captions(page)
    assert "sepal width" in " ".join(one.value for one in page.markdown)


@pytest.mark.usefixtures("idle")
def test_cart_and_optimal_trees_begin_with_them_and_others_say_that_they_do_not(with_splits):
    for name in ["compare", "reliability", "stability"]:
        links = {} if name == "reliability" else {"m1": "cart", "m2": "optimal", "m3": "cultivated"}
        page = opened(with_splits, name, data="iris", **links)
        assert address_of(page)["m1-given"] == address_of(page)["m2-given"] == GIVEN
        assert captions(page).count(f"As on the page *Tree*: {SHORT}.") == 2
        assert captions(page).count(f"Set on the page *Tree*, but this model does not keep it: {SHORT}.") == 1


@pytest.mark.usefixtures("idle")
def test_directions_in_the_same_place_leave_no_room_for_them():
    page = until_grown(open_tree(data="diabetes", depth="3", edits="c3_30"))
    page = opened(page, "compare", data="diabetes", **ALONE)
    assert address_of(page)["m1-given"] == ":body mass index:30"
    page = settle(page.multiselect(key="m1-cart-monotone columns").set_value(["age:rising"]))
    assert "m1-given" not in address_of(page)
    assert "does not keep it: begins with the given split body mass index ≤ 30" in captions(page)


@pytest.mark.usefixtures("idle")
def test_other_tables_have_none_of_them_they_go_once_taken_back_and_nonsense_in_a_link_is_told(with_splits):
    page = opened(with_splits, "compare", data="two-gaussians", **ALONE)
    assert "m1-given" not in address_of(page)
    page = opened(with_splits, "compare", data="iris", **ALONE)
    assert address_of(page)["m1-given"] == GIVEN
    page = until_grown(whole(page.switch_page("pages/tree.py").run()))
    next(one for one in page.button if one.label == "Take all changes back").click()
    page = settle(page)
    page = until_grown(whole(page.switch_page("pages/compare.py").run()))
    assert "m1-given" not in address_of(page)
    page = opened(page, "compare", data="iris", **ALONE, **{"m1-given": "nonsense"})
    assert any("splits, each with the way to it" in one.value for one in page.warning)


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("name", "link", "rest", "own"),
    [
        ("without", {"data": "diabetes", "without": BMI}, [], "age"),
        ("monotone", {"data": "diabetes", "monotone": RISING}, [], "age:falling"),
        ("given", {"data": "iris", "edits": BY_HAND}, ["no: petal width ≤ 1.5"], ":petal width:0.8"),
    ],
)
def test_a_link_keeps_its_own_and_whoever_changes_them_there_has_them_as_chosen_there(name, link, rest, own):
    """A split that is taken out takes those below it along."""
    here, place = f"m1-{name}", "m1" if name == "without" else "m1-cart"
    page = opened(open_tree(depth="3", **link), "compare", data=link["data"], **ALONE, **{here: own})
    assert address_of(page)[here] == own
    assert "As on the page" not in captions(page)
    page = opened(until_grown(open_tree(depth="3", **link)), "compare", data=link["data"], **ALONE)
    assert here in address_of(page)
    page = settle(page.multiselect(key=f"{place}-{name} columns").set_value(rest))
    assert here not in address_of(page)
    assert here not in address_of(settle(page))
