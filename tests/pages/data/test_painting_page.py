"""Points drawn by hand on the Data page: what the browser sends is checked, and a link opens the table."""

from espalier.data.samples.painted import painted
from pages.shared.canvas.paint import drawn_points
from tests.tools.on_page import engine, open_tree, whole

__all__ = ["engine"]


def test_a_link_of_drawn_points_opens_their_tree():
    corners = [(1.0, 1.0, 0), (2.0, 2.0, 0), (8.0, 8.0, 1), (9.0, 9.0, 1)]
    page = whole(open_tree(data=painted("Four corners", corners).text, held="0"))
    assert any("Four corners" in text.value for text in page.markdown)
    assert any("4 rows" in text.value for text in page.markdown)


def test_points_of_the_browser_are_taken_as_they_are():
    assert drawn_points({"points": [[1, 2.5, 0], [10, 0, 3]], "at": 5}) == [(1.0, 2.5, 0), (10.0, 0.0, 3)]
    assert drawn_points({"points": []}) == []


def test_anything_else_is_no_drawing():
    cases = [
        None, 7, {}, {"points": 3}, {"points": [[1, 2]]}, {"points": [[1, 2, 4]]}, {"points": [[1, 2, True]]},
        {"points": [[11, 2, 0]]}, {"points": [[float("nan"), 2, 0]]}, {"points": [["1", 2, 0]]},
        {"points": [[1, 2, 0]] * 2001},
    ]  # fmt: skip
    for sent in cases:
        assert drawn_points(sent) is None, sent
