"""The page of figures to drag: what the address says is drawn, and what the browser says is checked."""

import pytest

from espalier.data.samples import dragged
from espalier.data.samples.generators import far_and_wrong
from pages.shared.app.address import Choice
from pages.shared.basics import bagging, impurity
from tests.tools.on_page import address_of, open_page, press, say, sent_to, whole


def component(page, name):
    return next(one for one in page.get("bidi_component") if one.proto.component_name == name)


def test_a_link_has_the_split_and_a_drag_of_it_stands_in_the_address():
    page = open_page("basics", measure="error", left="20", right="90")
    assert sent_to(page, "espalier_points")  # both figures are there
    (sent,) = sent_to(page, "espalier_impurity")
    assert sent["measure"] == "error"
    assert sent["split"] == {"left": 0.2, "right": 0.9, "weight": 0.5}
    page = whole(say(page, component(page, "espalier_impurity"), split={"at": "0-90-25", "n": 1}).run())
    assert address_of(page) == {"measure": "error", "left": "0", "right": "90", "weight": "25"}


def test_a_row_that_is_dragged_takes_its_curves_along_and_can_be_put_back():
    page = open_page("basics", view="bagging", rows="far", fit="line", bags="20")
    assert not sent_to(page, "espalier_impurity")
    (before,) = sent_to(page, "espalier_points")
    assert before["rows"][14] == [9.5, 1.5]
    page = whole(
        say(page, component(page, "espalier_points"), moved={"at": "14-9.5-7.5", "over": True, "n": 1}).run()
    )
    (after,) = sent_to(page, "espalier_points")
    assert after["rows"][14] == [9.5, 7.5]
    assert after["curves"][-1]["y"] != before["curves"][-1]["y"]
    assert address_of(page)["moved"] == "14-9.5-7.5"
    assert after["columns"] == ["error", "influence of row 15"]
    assert after["numbers"]["one"][1] == "0.54"
    page = press(page, "Put rows back")
    assert sent_to(page, "espalier_points") == [before | {"n": 1}]
    assert "moved" not in address_of(page)


def test_another_example_has_its_own_rows_again():
    page = open_page("basics", view="bagging", rows="far", fit="line", moved="14-1-1")
    page = whole(page.selectbox(key=bagging.EXAMPLE.key).set_value("right").run())
    assert sent_to(page, "espalier_points")[0]["rows"][14] == [9.5, 7.7]


def test_only_three_shares_are_a_split_a_number_and_a_place_a_dragged_row_and_these_stand_there_in_order():
    for sent in [None, "10-20-30", {"at": 3}, {"at": "10-20"}, {"at": "101-0-0"}, {"at": "-1-0-0"}]:
        assert not impurity.read_split(sent), sent
    assert impurity.read_split({"at": "10-70-50", "n": 3}) == (10, 70, 50)
    for text in [None, 3, "", "1", "1-2", "99-1-1", "1-10.1-1", "1-1-nan", "1-1-1.25", "-1-1-1"]:
        assert dragged.row_of(text) is None, text
    example = far_and_wrong()
    assert dragged.move_rows(example, "50-1-1").x.tolist() == example.x.tolist()
    assert dragged.read_text("3-1-1_0-2-2.5_3-4-4") == "0-2-2.5_3-4-4"
    with pytest.raises(ValueError, match="rows such as"):
        dragged.read_text("3-1-1_x")
    for entry in (*bagging.url_entries(Choice("view", ("a",))), *impurity.url_entries(Choice("view", ("b",)))):
        assert entry.default is None or entry.read(str(entry.default)) == entry.default
