"""Columns left out on the page Tree are left out by the models of other pages, too, and can be changed there."""

import pytest

from pages.shared.data import library
from tests.findings.planted import known_after, planned
from tests.tools.on_page import address_of, engine, open_tree, opened, until_grown, whole

__all__ = ["engine"]

BMI = "body mass index"
ON_TREE = f"As on the page *Tree*: without {BMI}."


def asked(page, **address):
    """The questionnaire, whose own bar says how many questions are answered."""
    page.query_params.clear()
    for key, value in address.items():
        page.query_params[key] = value
    return whole(page.switch_page("pages/questionnaire.py").run())


def captions(page):
    return " ".join(one.value for one in page.caption)


@pytest.fixture
def tree():
    return until_grown(whole(open_tree(data="diabetes", depth="2", without=BMI)))


def test_the_tree_says_which_columns_no_split_asks_about(tree):
    assert not tree.exception
    assert tree.multiselect(key="without columns").value == [BMI]
    assert f"No split asks about {BMI}." in captions(tree)
    assert address_of(tree)["without"] == BMI


def test_a_tree_that_may_ask_about_no_column_says_why_it_is_a_lone_root(tree):
    every = tree.multiselect(key="without columns").options
    page = whole(tree.multiselect(key="without columns").set_value(every).run())
    said = "The tree is a lone root: every column is in the list of columns that no split may ask about."
    assert said in " ".join(one.value for one in page.info)


@pytest.mark.parametrize("learner", ["cart", "cultivated"])
def test_what_columns_offer_at_a_node_leaves_them_out_and_so_does_what_the_table_is_said_to_rank(learner):
    best = "log triglycerides"
    page = until_grown(whole(open_tree(data="diabetes", depth="2", levels="2", model=learner, without=best)))
    table = page.dataframe[0].value
    assert len(table) == 9
    assert not table["column"].str.contains(best).any()
    assert "Columns in the list *Columns that no split may ask about* are not shown here." in captions(page)
    if learner == "cultivated":
        assert f"h ≤ {table['h'].min():.0f} +" in captions(page)
    else:
        assert table["gain"].is_monotonic_decreasing


@pytest.mark.parametrize("learner", ["cart", "cultivated"])
def test_without_any_column_a_node_says_so(learner, tree):
    every = ",".join(tree.multiselect(key="without columns").options)
    page = until_grown(whole(open_tree(data="diabetes", depth="2", model=learner, without=every)))
    assert any("Every column is in the list" in one.value for one in page.markdown)


@pytest.mark.parametrize(
    ("learner", "address"),
    [
        ("cultivated", {"levels": "2"}), ("optimal", {"height": "2", "cuts": "3"}), ("model-tree", {"depth": "2"}),
        ("oblique", {"depth": "2"}),
    ],
)  # fmt: skip
def test_every_learner_of_the_page_does_without_them(learner, address):
    page = until_grown(whole(open_tree(data="diabetes", model=learner, without=BMI, **address)))
    assert not page.exception
    assert f"No split asks about {BMI}." in captions(page)
    assert address_of(page)["without"] == BMI


@pytest.mark.parametrize("name", ["compare", "reliability", "stability"])
@pytest.mark.usefixtures("idle")
def test_models_of_other_pages_leave_them_out_and_the_address_has_them(tree, name):
    page = opened(tree, name, data="diabetes", m1="cart", m2="cultivated", m3="none")
    assert not page.exception
    assert address_of(page)["m1-without"] == address_of(page)["m2-without"] == BMI
    assert captions(page).count(ON_TREE) == 2


def test_so_do_both_forests(tree):
    page = opened(tree, "forests", data="diabetes", **{"a-trees": "5", "b": "gradient", "b-trees": "5"})
    assert not page.exception
    assert address_of(page)["a-without"] == address_of(page)["b-without"] == BMI
    assert captions(page).count(ON_TREE) == 2
    assert captions(page).count(f"No split asks about {BMI}.") == 2


@pytest.mark.usefixtures("idle")
def test_so_does_the_model_that_scores_new_rows(tree):
    page = opened(tree, "new_rows", data="diabetes", m1="cart")
    assert not page.exception
    assert address_of(page)["m1-without"] == BMI
    assert ON_TREE in captions(page)


def test_so_does_a_tree_that_stands_in_for_another_model_on_its_page_and_as_a_questionnaire(tree):
    link = {"data": "diabetes", "box": "tree", "depth": "2", "samples": "1000"}
    page = opened(tree, "approximate", **link)
    assert not page.exception
    assert address_of(page)["without"] == BMI
    assert ON_TREE in captions(page)
    page = asked(page, data="diabetes")
    assert address_of(page)["without"] == BMI


def test_a_questionnaire_asks_the_tree_of_the_page_tree(tree):
    page = asked(tree, data="diabetes")
    page = whole(page.button_group(key="asking").set_value("cart").run())
    assert address_of(page)["without"] == BMI
    assert page.multiselect(key="without columns").value == [BMI]


@pytest.mark.usefixtures("idle")
def test_a_column_that_the_root_does_without_by_hand_is_left_out_on_other_pages():
    page = until_grown(whole(open_tree(data="diabetes", depth="2", edits="n3")))
    page = opened(page, "compare", data="diabetes", m1="cart", m2="none", m3="none", m4="none")
    assert address_of(page)["m1-without"] == BMI
    assert ON_TREE in captions(page)


@pytest.mark.usefixtures("idle")
def test_a_link_with_others_keeps_its_own(tree):
    link = {"m1": "cart", "m1-without": "age", "m2": "none", "m3": "none", "m4": "none"}
    page = opened(tree, "compare", data="diabetes", **link)
    assert address_of(page)["m1-without"] == "age"
    assert "As on the page" not in captions(page)
    assert "Set here: without age." in captions(page)


@pytest.mark.usefixtures("idle")
def test_whoever_changes_them_there_has_them_as_chosen_there(tree):
    page = opened(tree, "compare", data="diabetes", m1="cart", m2="none", m3="none", m4="none")
    page.multiselect(key="m1-without columns").set_value([])
    page = until_grown(whole(page.run()))
    assert "m1-without" not in address_of(page)
    assert "m1-without" not in address_of(until_grown(whole(page.run())))


@pytest.mark.usefixtures("idle")
def test_a_model_that_cannot_keep_what_is_asked_says_so():
    page = until_grown(whole(open_tree(data="diabetes", depth="2", monotone=f"{BMI}:rising")))
    page = opened(page, "compare", data="diabetes", m1="cultivated", m2="baseline", m3="none", m4="none")
    said = f"Set on the page *Tree*, but this model does not keep it: prediction rises with {BMI}."
    assert captions(page).count(said) == 1


def test_a_date_goes_with_its_month_and_weekday_which_go_each_by_itself():
    data = planned(known_after("date"), "date")
    library.store().put(data)
    names = ["ended", "ended (month)", "ended (weekday)"]
    page = until_grown(whole(open_tree(data=data.digest, depth="2")))

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


def test_a_node_does_without_all_of_a_column_of_dates_by_hand():
    data = planned(known_after("date"), "date")
    library.store().put(data)
    page = until_grown(whole(open_tree(data=data.digest, depth="2")))
    (button,) = [one for one in page.button if one.label == "Without ended"]
    button.click()
    page = until_grown(whole(page.run()))
    assert address_of(page)["edits"] == "n3.4.5"
