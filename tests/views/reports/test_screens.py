"""Pictures on any screen: each side of its pairs of colours is what the view draws there."""

import re

import pytest

from espalier import predict
from espalier.data import samples
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.views import svg
from espalier.views.forests import surfaces
from espalier.views.reports.screens import numbered, on_any_screen
from espalier.views.reports.sheet import Drawing, Report, ReportSection, to_html
from espalier.views.tree.small_tree import small_tree

IRIS = samples.load("iris")


def one_side(picture, side):
    """The drawing for light screens (0), or for dark ones (1), of a picture with pairs."""
    other = ("on-dark", "on-light")[side]
    alone = re.sub(rf'<image class="{other}"[^>]*/>', "", picture)
    plain = re.sub(r' class="on-(light|dark)"', "", alone)
    return re.sub(r"light-dark\(([^|]*)\|([^|]*?)\)(?=\")", rf"\{side + 1}", plain)


def tree_of(dark):
    return small_tree(CartClassifier(max_depth=4).fit(IRIS.X, IRIS.y).tree_, IRIS.features, IRIS.target, dark)


def cultivated_tree_of(dark):
    tree = CultivatedClassifier(max_depth=3).fit(IRIS.X, IRIS.y).tree_
    return small_tree(tree, IRIS.features, IRIS.target, dark)


def surface_of(dark):
    plane = surfaces.plane_of(IRIS, (2, 3))
    tree = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    return surfaces.picture(predict.shares(tree, plane.samples(IRIS.X.mean(axis=0))), plane, IRIS, dark)


@pytest.mark.parametrize("draw", [tree_of, cultivated_tree_of, surface_of])
def test_each_side_of_the_pairs_is_what_the_view_draws_there(draw):
    both = on_any_screen(draw)
    assert (one_side(both, 0), one_side(both, 1)) == (draw(False), draw(True))
    assert both.count("<svg") == 1


def test_only_images_are_there_twice():
    both = on_any_screen(surface_of)
    assert both.count("<image") == 2
    for name in ("path", "text"):
        assert both.count(f"<{name}") == surface_of(False).count(f"<{name}")


def test_pictures_of_different_shapes_are_there_twice_each_for_its_screen():
    both = on_any_screen(lambda dark: svg.picture([svg.circle(1, 1, 1, "#000000")] * (1 + dark), (2, 2)))
    assert re.findall(r'<svg class="([^"]*)"', both) == ["on-light", "on-dark"]


def test_a_document_names_each_pair_once_and_gives_it_a_colour_on_paper_and_on_dark_screens():
    first, second = "light-dark(#111111|#EEEEEE)", "light-dark(#111111|rgba(1,2,3,0.5))"
    body, style = numbered(f'<i fill="{first}"/><i fill="{second}"/><i stroke="{first}"/>')
    assert body == '<i fill="var(--c0)"/><i fill="var(--c1)"/><i stroke="var(--c0)"/>'
    paper, dark = style.split("@media screen and (prefers-color-scheme: dark)")
    assert re.findall(r"--c\d: [^;]*", paper) == ["--c0: #111111", "--c1: #111111"]
    assert re.findall(r"--c\d: [^;]*", dark) == ["--c0: #EEEEEE", "--c1: rgba(1,2,3,0.5)"]


def test_words_of_the_data_that_look_like_a_pair_stay_as_they_are():
    words = svg.text(0, 0, '"light-dark(#111111|#EEEEEE)"', "#000000")
    assert numbered(words)[0] == words


def test_every_colour_of_a_report_is_a_plain_one_or_has_a_rule():
    html = to_html(Report("t", (), (ReportSection("s", (Drawing(on_any_screen(tree_of), "A tree."),)),), ()))
    used = set(re.findall(r"var\((--c\d+)\)", html))
    assert used == set(re.findall(r"(--c\d+):", html))
    assert used
    assert "light-dark" not in html
