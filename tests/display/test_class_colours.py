"""Colours follow the names of classes, in whatever order these stand, and whichever of them are there."""

import itertools
import json
import re
import subprocess
import tomllib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier import boosting as pictures
from espalier.data import samples
from espalier.data.dataset import ClassChoice, Feature, with_classes
from espalier.data.filters import filter_of
from espalier.data.samples.redrawn import TARGET, painted
from espalier.data.subset import subset
from espalier.display import ink
from espalier.display.boundaries.surface import surface
from espalier.display.theme import DARK, LIGHT, class_colours, colours_of
from espalier.display.tree import figures, graphviz
from espalier.display.tree.cards import cards, class_colours_card
from espalier.explanation import columns, parts
from espalier.explanation.dependence import feature_curves
from espalier.explanation.shapley import prediction_parts, shapley_values
from espalier.forests import surfaces
from espalier.learners import CartClassifier
from espalier.paths import APP, ASSETS
from espalier.settings import MAX_CLASSES
from tests.tools.cases import case
from tests.tools.node import node

# Of two classes, the one that counts is drawn in the warm colour


@given(st.permutations(range(2)), st.sampled_from([None, 0, 1]))
def test_of_two_classes_the_one_that_counts_is_drawn_in_the_warm_colour_unless_it_is_only_the_rarer(order, k):
    for name in ("breast-cancer", "monks-1", "moons", "tic-tac-toe"):
        bundled = samples.load(name)
        data = with_classes(bundled, ClassChoice(tuple(order), k))
        warm = bundled.classes[1] if data.target.marks.by == "rarity" else data.classes[data.target.positive or 0]
        for theme, palette in (("light", LIGHT), ("dark", DARK)):
            colours = dict(zip(data.classes, colours_of(data.target)[theme], strict=True))
            assert colours.pop(warm) == palette[1]
            assert [*colours.values()] == [palette[0]]
        assert sorted(data.strata) == sorted(bundled.y)  # rows are held out alike


SCRIPT = """
import { classInk } from "./surface/inks.js";
import { classColour, colourOf } from "./tree/parts.js";
const { cards, plane } = JSON.parse(process.argv[1]);
const drawn = [false, true].map((dark) => {
  const s = { cards, data: plane, theme: { dark } };
  const nodes = new Set(cards.nodes.map((node) => node.top + colourOf(s, node)));
  return [[0, 1].map((k) => classColour(s, k)), [0, 1].map((k) => classInk(s, k)), [...nodes].sort()];
});
console.log(JSON.stringify(drawn));
"""


def test_where_the_browser_draws_the_class_that_counts_is_warm_too():
    data = samples.load("breast-cancer")
    tree = CartClassifier(max_depth=2, random_state=0).fit(data.X, data.y).tree_
    figures_ = {"cards": cards(tree, data, np.arange(9)), "plane": {"surface": surface(tree, data, (0, 1))}}
    command = [node(), "--input-type=module", "--eval", SCRIPT, json.dumps(figures_)]
    drawn = json.loads(subprocess.check_output(command, cwd=ASSETS / "components", text=True, timeout=120))
    for (cool, warm), (tree_, plane, nodes) in zip((LIGHT[:2], DARK[:2]), drawn, strict=True):
        assert tree_ == plane == [warm, cool]  # malignant, benign
        assert nodes == ["0" + warm, "1" + cool]


@given(st.permutations(range(3)))
def test_colours_follow_the_names_of_classes(order):
    iris = samples.load("iris")
    again = with_classes(iris, ClassChoice(tuple(order)))
    by_name = {card["name"]: card for card in class_colours_card(iris.target)}
    assert {card["name"]: card for card in class_colours_card(again.target)} == by_name
    assert again.target.categories == tuple(card["name"] for card in class_colours_card(again.target))


def test_a_colour_stays_when_other_classes_are_left_out_and_a_number_has_the_first():
    whole = samples.load("wine").target
    marks = whole.marks._replace(colours=(2, 0))
    part = whole._replace(categories=(whole.categories[2], whole.categories[0]), marks=marks)
    assert colours_of(part)["dark"] == [colours_of(whole)["dark"][2], colours_of(whole)["dark"][0]]
    assert len(colours_of(samples.load("sine").target)["light"]) == 1
    assert class_colours_card(samples.load("sine").target) == []


def test_the_drawn_tree_has_the_same_colours_in_any_order_of_classes():
    iris = samples.load("iris")
    again = with_classes(iris, ClassChoice((2, 0, 1)))
    drawn = []
    for data in (iris, again):
        tree = CartClassifier(max_depth=2, random_state=0).fit(data.X, data.y).tree_
        fills = np.array([graphviz.fills(tree, data.target, theme) for theme in ("light", "dark")])
        drawn.append(fills[:, tree.left < 0].tolist())  # inner nodes of iris have equally many of two classes
    assert drawn[0] == drawn[1]


def test_the_legend_of_surfaces_has_the_classes_in_order_each_in_its_colour():
    again = with_classes(samples.load("iris"), ClassChoice((1, 2, 0)))
    legend, palette = surfaces.legend(again, dark=False), colours_of(samples.load("iris").target)["light"]
    places = [legend.index(palette[k]) for k in (1, 2, 0)]
    assert places == sorted(places)


def test_drawn_points_keep_the_colours_that_they_have_on_the_plane():
    of_plane = {card["name"]: card for card in class_colours_card(TARGET)}
    table = painted("x", [(1, 1, 1), (2, 2, 3)]).dataset
    assert class_colours_card(table.target) == [of_plane["B"], of_plane["D"]]


def test_colours_and_the_class_that_counts_stay_when_a_filter_leaves_a_class_no_row():
    iris = with_classes(samples.load("iris"), ClassChoice((2, 0, 1), 1))
    part = subset(iris, filter_of("petal length~gt~2"))
    assert set(np.array(part.classes)[part.y].tolist()) == {"versicolor", "virginica"}
    assert class_colours_card(part.target) == class_colours_card(iris.target)
    assert part.target.marks == iris.target.marks


def pictures_of(data, k, dark):
    """Every picture of what speaks for a class, or of its share, by its name: SVG, or JSON of Plotly."""
    tree = CartClassifier(max_depth=3, random_state=0).fit(data.X, data.y).tree_
    x = data.X[int(np.flatnonzero(data.y == k)[0])]
    added: Any = prediction_parts(tree, x, k)
    some = data.X[:: len(data.X) // 40]
    strips = columns.ColumnParts(
        shapley_values(tree, some).added[:, :, k], some, data.features, "identity", data.target, k
    )
    f = int(tree.feature[0])
    along = feature_curves(tree, some, f, 0)
    look = columns.ColumnCurves(along, k, data.features[f], some[:, f], data.target)
    line = pictures.PlotLine("share", np.linspace(0, 1, 5))
    plot = pictures.CurvePlot(np.arange(5.0), (line,), np.arange(5.0), np.zeros(5), ("x", "y"), data.target, k)
    shares = np.eye(len(data.classes))[k]
    drawn: dict[str, Any] = {
        "reasons": parts.reasons_picture(added, data, x).draw(dark),
        "strips": columns.strips_picture(strips).draw(dark),
        "curves": columns.curves_picture(look).draw(dark),
        "accumulated changes": columns.accumulated_picture(look).draw(dark),
        "curve of a round": pictures.curve(plot, dark),
        "histogram of a round": pictures.histogram([line], "share", (data.target, k), dark),
        "bar of a class": figures.class_bars(shares, shares, data.target).draw(dark),
    }
    return {name: one if isinstance(one, str) else one.to_json() for name, one in drawn.items()}


def palette_in(picture, dark):
    """The places of the palette whose colours a picture has."""
    return {k for k, colour in enumerate(class_colours(8)[ink.theme_of(dark)]) if colour in picture.upper()}


def test_what_is_drawn_of_a_class_has_its_own_colour_in_every_picture_and_order():
    cancer, iris = samples.load("breast-cancer"), samples.load("iris")
    own = iris._replace(target=iris.target._replace(marks=iris.target.marks._replace(colours=(4, 2, 6))))
    turned = with_classes(cancer, ClassChoice((1, 0), 0))
    assert turned.classes == cancer.classes[::-1]
    for data in (cancer, turned, own, with_classes(own, ClassChoice((2, 0, 1)))):
        places = data.target.marks.places(len(data.classes))
        for k, dark in ((0, False), (len(data.classes) - 1, True)):
            for name, picture in pictures_of(data, k, dark).items():
                there = palette_in(picture, dark)
                if name == "bar of a class":
                    assert set(places) == there, name
                elif name in ("reasons", "rows of a pair"):  # for and against an answer are ink
                    assert not there, (name, data.classes[k])
                else:
                    assert there == {places[k]}, (name, data.classes[k])


def test_right_answers_of_the_confusion_matrix_have_the_colour_of_their_class_and_errors_no_classs():
    target = with_classes(samples.load("iris"), ClassChoice((2, 0, 1))).target
    for dark in (False, True):
        figure: Any = figures.confusion_picture(np.array([[4, 1, 0], [0, 5, 0], [0, 2, 3]]), target).draw(dark)
        heat = figure.data[0]
        at = np.array([stop for stop, _ in heat.colorscale])
        strongest = [heat.colorscale[int(np.searchsorted(at, (k + 0.99) / 4, "right"))][1] for k in range(4)]
        assert strongest[:3] == colours_of(target)[ink.theme_of(dark)]
        assert strongest[3] not in class_colours(8)[ink.theme_of(dark)]
        assert [[int(z) for z in row if np.isfinite(z)] for row in heat.z] == [[0, 3], [1], [3, 2]]


def test_the_browser_gives_a_figure_drawn_for_light_the_inks_and_colours_of_a_dark_page():
    style, light, dark = ink.style_of_figures(), class_colours(8)["light"], class_colours(8)["dark"]
    models = [(ink.model_colour(slot, False), ink.model_colour(slot, True)) for slot in range(4)]
    for first, second in [*zip(light, dark, strict=True), *models]:
        assert f"fill:light-dark({first},{second})" in style


def test_what_leaves_classes_out_says_how_many_and_lists_them_on_demand():
    names = tuple(f"class {k}" for k in range(40))
    target = Feature("kind", "category", names)
    many = samples.load("iris")._replace(target=target)
    some, every = surfaces.legend(many, dark=False), surfaces.legend(many, False, len(names))
    assert [name for name in names if f">{name}<" in some] == list(names[: surfaces.LIST])
    assert f">and {40 - surfaces.LIST} more<" in some
    assert all(f">{name}<" in every for name in names)
    assert "more<" not in every
    shares = np.full(40, 1 / 40)
    bar: Any = figures.class_bars(shares, shares, target).draw(False)
    n = 40 - len(bar.data[0].x)
    assert bar.layout.xaxis.title.text.endswith(f"; and {n} classes more")
    assert figures.class_bars(shares, shares, target).alt.endswith(f", and {n} classes more.")


LEAST_APART = 8.0
VISION = {
    "common": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.3039]],
}  # fmt: skip
CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
OPPONENTS = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
             [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip


def seen(colour, vision):
    """The colour as a person with this vision sees it: lightness, green to red and blue to yellow of OKLab."""
    parts = np.array(ink.rgb(colour)) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    simulated = np.clip(np.asarray(VISION[vision]) @ linear, 0, 1)
    return 100 * np.asarray(OPPONENTS) @ np.cbrt(np.asarray(CONES) @ simulated)


def difference(one, other, vision):
    return float(np.linalg.norm(seen(one, vision) - seen(other, vision)))


def test_white_is_white_to_all_and_red_and_green_are_closer_to_those_who_are_blind_to_them():
    for vision in VISION:
        assert seen("#FFFFFF", vision) == pytest.approx([100, 0, 0], abs=0.01)
    apart = {vision: difference("#CC0000", "#4D7F00", vision) for vision in VISION}
    assert apart["deuteranopia"] < apart["tritanopia"] / 3


def test_any_two_classes_of_the_palette_are_told_apart():
    for vision in VISION:
        for palette in [LIGHT, DARK]:
            with case((vision, palette)):
                near = {pair: difference(*pair, vision) for pair in itertools.combinations(palette, 2)}
                assert not {pair: apart for pair, apart in near.items() if apart < LEAST_APART}


@pytest.mark.parametrize("vision", VISION)
def test_the_scale_of_numbers_gets_lighter_throughout(vision):
    script = (ASSETS / "components" / "shared" / "colours.js").read_text(encoding="utf-8")
    (scale,) = re.findall(r"SCALE = \[(.*)\]", script)
    lightness = [seen(colour, vision)[0] for colour in re.findall(r"#\w{6}", scale)]
    assert len(lightness) == 5
    assert np.diff(lightness).min() >= LEAST_APART


def test_charts_of_streamlit_have_the_same_colours():
    theme = tomllib.loads((APP / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    assert theme["chartCategoricalColors"] == class_colours(len(LIGHT))["light"]
    assert theme["dark"]["chartCategoricalColors"] == class_colours(len(DARK))["dark"]


LEAST = 4.5
SIDEBAR = {"light": "#F8F8F7", "dark": "#21201D"}  # also of the tree's cards on dark pages
CARD = {"light": ink.PAPER["light"], "dark": SIDEBAR["dark"]}
TINT = {"light": 0.13, "dark": 0.2}  # of a leaf's class on its card (assets/components/tree/cards.js)
SEGMENT = 0.125  # of the accent, in the ground of a chosen segment: Streamlit's own
CONFIG = tomllib.loads((APP / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


@pytest.fixture(params=["light", "dark"])
def theme(request):
    return request.param


def luminance(colour):
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in channels(colour)]
    return sum(part * v for part, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def channels(colour):
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def read_off(name, pattern):
    """What the pattern finds in a file of the assets, once."""
    (found,) = re.findall(pattern, (ASSETS / name).read_text(encoding="utf-8"))
    return found


def muted(theme):
    """The tree's quiet text."""
    dark, light = read_off("components/shared/theme.js", r'muted: dark \? "(#\w{6})" : "(#\w{6})"')
    return dark if theme == "dark" else light


def test_contrast_is_counted_as_in_the_guidelines():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)


def test_the_ink_of_figures_is_readable_on_the_page_also_where_it_is_quiet(theme):
    quiet = ink.mix(ink.TEXT[theme], ink.PAPER[theme], 0.7)  # the faintest text of a picture
    assert contrast(ink.TEXT[theme], ink.PAPER[theme]) >= 7
    assert contrast(quiet, ink.PAPER[theme]) >= LEAST


def test_captions_are_readable_on_the_page_and_in_the_sidebar(theme):
    strength = float(read_off("frame.css", r"stCaptionContainer.*opacity: ([\d.]+)"))
    for paper in (ink.PAPER[theme], SIDEBAR[theme]):
        assert contrast(ink.mix(ink.TEXT[theme], paper, strength), paper) >= LEAST


def test_the_accent_is_readable_as_text_and_on_its_own_tint_of_a_chosen_segment(theme):
    accent, paper = CONFIG["theme"][theme]["primaryColor"], ink.PAPER[theme]
    for ground in (
        paper,
        SIDEBAR[theme],
        ink.mix(accent, paper, SEGMENT),
        ink.mix(accent, SIDEBAR[theme], SEGMENT),
    ):
        assert contrast(accent, ground) >= LEAST


def test_the_trees_quiet_text_is_readable_on_a_leaf_of_any_class(theme):
    for n in (8, MAX_CLASSES):
        for colour in class_colours(n)[theme]:
            assert contrast(muted(theme), ink.mix(colour, CARD[theme], TINT[theme])) >= LEAST


def test_text_is_readable_on_every_colour_of_a_class_and_on_every_tint_of_it(theme):
    for colour in class_colours(MAX_CLASSES)[theme]:
        for tenth in range(11):
            ground = ink.mix(colour, ink.PAPER[theme], tenth / 10)
            assert contrast(ink.readable_on(ground), ground) >= LEAST


def test_the_wordmark_is_readable_in_the_sidebar_and_on_the_page(theme):
    name = "wordmark.svg" if theme == "light" else "wordmark-dark.svg"
    fill = read_off(name, r'<text.*fill="(#\w{6})"')
    assert contrast(fill, SIDEBAR[theme]) >= LEAST
    assert contrast(fill, ink.PAPER[theme]) >= LEAST
