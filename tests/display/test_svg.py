"""What pictures share: texts cannot break out of them, numbers stand at their places as people write them."""

import base64
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from espalier.data.dataset import Feature, make_dataset
from espalier.display import svg
from espalier.display.plotly import blank
from espalier.display.svg import Frame
from espalier.display.text.trees import answers_of, condition, describe, says
from espalier.display.theme import FONT, MOST_OFF, NOISE, column_format, number, percent, rounded_to, threshold
from espalier.display.tree.cards import cards
from espalier.display.tree.graphviz import to_dot
from espalier.display.tree.small_tree import answer
from espalier.export import to_rules
from espalier.inert import legible
from espalier.language import ENGLISH, speak
from espalier.learners import CartRegressor
from espalier.paths import SOURCES
from espalier.trees import is_leaf
from pages.shared.app import pictures
from tests.tools.cases import case

IN_XML = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")
FRAME = Frame((200, 100), (40, 10, 5, 20), (0, 4), (1, 3), dark=False)


# Elements --------------------------------------------------------------------------------------------


@given(st.text(IN_XML), st.text(IN_XML))
def test_any_text_comes_out_of_an_element_as_it_went_in_but_for_what_steers_the_words_beside_it(words, value):
    found = ET.fromstring(svg.element("text", words, fill=value))
    assert (found.text or "", found.get("fill")) == (legible(words), legible(value))


def test_elements_attributes_and_pictures_are_written_as_svg_wants_and_long_words_end_in_an_ellipsis():
    inner = svg.element("tspan", "<1 %", x=1)
    assert svg.element("text", inner, " & more") == '<text><tspan x="1">&lt;1 %</tspan> &amp; more</text>'
    found = svg.element("path", d="M0 0", stroke_width=2.2, opacity=1 / 3, fill=None)
    assert found == '<path d="M0 0" stroke-width="2.2" opacity="0.33"/>'
    found = ET.fromstring(svg.picture([svg.text(1, 2, "a", "#000")], (300, 200), 12, top=-26))
    assert found.get("viewBox") == "0 -26 300 200"
    assert (found.get("width"), found.get("height"), found.get("font-size")) == ("300", "200", "12")
    assert found.get("font-family") == FONT
    assert [child.text for child in found] == ["a"]
    assert svg.shortened("petal length", 12) == "petal length"
    assert svg.shortened("petal length", 7) == "petal…"
    assert svg.shortened("petal length", 0) == "p…"


@pytest.mark.parametrize(("x", "written"), [(12.0, "12"), (12.34, "12.3"), (100, "100"), (-1.26, "-1.3")])
def test_pixels_are_written_to_a_tenth_without_trailing_zeros(x, written):
    assert svg.decimal(x) == written


def test_no_other_file_writes_elements_by_hand():
    files = list((SOURCES / "espalier").rglob("*.py"))
    assert len(files) > 300
    written = [
        path.name for path in files if re.search(r"<(svg|rect|path|circle|text|line)\b", path.read_text("utf-8"))
    ]
    assert written == []


# Axes ------------------------------------------------------------------------------------------------


def test_the_axes_end_in_the_corners_of_the_frame_grid_lines_have_their_values_and_ticks_stand_below_theirs():
    assert [FRAME.x(0), FRAME.x(4)] == [40, 190]
    assert [FRAME.y(1), FRAME.y(3)] == [80, 5]  # pixels count from above
    assert (FRAME.left, FRAME.right, FRAME.top, FRAME.floor) == (40, 190, 5, 80)
    drawn = [ET.fromstring(part) for part in FRAME.grid([1, 2], lambda value: f"<{value}")]
    assert [part.get("d") for part in drawn[::2]] == ["M40 80 L190 80", "M40 42.5 L190 42.5"]
    assert [(part.text, part.get("y")) for part in drawn[1::2]] == [("<1", "80"), ("<2", "42.5")]
    drawn = [ET.fromstring(part) for part in FRAME.ticks([0, 1], str, 16)]
    assert [(part.text, part.get("x"), part.get("y")) for part in drawn] == [
        ("0", "40", "96"),
        ("1", "77.5", "96"),
    ]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 8))
def test_round_numbers_lie_within_the_axis_and_are_few(low, span, most):
    found = svg.round_numbers(low, low + span, most)
    assert len(found) <= most + 1
    slack = 1e-6 * (abs(low) + span)
    assert all(low - slack <= value <= low + span + slack for value in found)


@pytest.mark.parametrize(("high", "most"), [(0.3, 4), (1.0, 4), (7.0, 4), (40.0, 4), (99.0, 5), (12345.0, 5)])
def test_round_numbers_from_0_are_multiples_of_1_2_or_5(high, most):
    found = svg.round_numbers(0, high, most)
    assert found[0] == 0
    assert 2 <= len(found) <= most + 1
    factor = found[1] / 10 ** math.floor(math.log10(found[1]) + 1e-9)
    assert min(abs(factor - f) for f in (1, 2, 5, 10)) < 1e-6


def test_round_numbers_are_as_far_apart_as_asked():
    assert svg.round_numbers(0, 2, 4) == [0, 0.5, 1, 1.5, 2]
    assert svg.round_numbers(0, 2, 4, least_step=1) == [0, 1, 2]


@given(st.lists(st.floats(0, 300), max_size=6))
def test_names_of_lines_never_overlap_and_keep_their_order(heights):
    found = np.array(svg.apart(heights, 16))
    order = np.argsort(heights, kind="stable")
    assert (np.diff(found[order]) >= 16 - 1e-9).all()


NO_PAGES = {"theme.py", "graphviz.py", "sheet.py", "difference.py", "paper.py"}  # the font, or another one


def drawn(svg, monkeypatch):
    """The picture as it reaches the browser."""
    sent = []
    monkeypatch.setattr(pictures.st, "html", sent.append)
    pictures.show(svg, "a picture", 100)
    (packed,) = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", sent[0])
    return base64.b64decode(packed).decode()


def test_a_picture_brings_the_pages_font_along_and_is_the_same_otherwise(monkeypatch):
    svg = f'<svg font-family="{FONT}"><text>3 &gt; 2</text></svg>'
    found = drawn(svg, monkeypatch)
    (style,) = re.findall(r"<style>.*?</style>", found)
    assert found.replace(style, "") == svg
    assert found.index(style) < found.index("<text>")
    assert "font-family:'Source Sans'" in style
    assert FONT.startswith("'Source Sans',")
    font = base64.b64decode(re.findall(r"base64,([^)]+)", style)[0])
    assert font.startswith(b"wOF2")
    assert len(font) < 40_000


def test_every_figure_has_the_one_font_and_the_marks_of_numbers_of_the_language():
    files = [path for path in (SOURCES / "espalier").rglob("*.py") if path.name not in NO_PAGES]
    assert len(files) > 300
    assert [path.name for path in files if re.search("Arial|Helvetica|sans-serif", path.read_text())] == []
    assert blank(False, 100).layout.separators == ".,"  # type: ignore[attr-defined]
    speak("de")
    try:
        assert blank(False, 100).layout.separators == ",\u202f"  # type: ignore[attr-defined]
    finally:
        speak(ENGLISH)


def test_a_number_is_written_as_a_person_writes_it():
    for x, expected in [
        (0.0, "0"),
        (-0.0, "0"),
        (5123.4, "5123"),
        (-1.5, "−1.5"),
        (0.80001, "0.8"),
        (1985, "1985"),
        (9999.4, "9999"),
        (12_500, "12,500"),
        (100_000, "100,000"),
        (999_999.6, "1,000,000"),
        (1_558_409.46, "1,558,409"),
        (-2_000_000, "−2,000,000"),
        (1.234e16, "1.23·10¹⁶"),
        (-2e-9, "−2·10⁻⁹"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
    ]:
        with case((x, expected)):
            assert number(x) == expected


def test_more_digits_tell_neighbours_apart_thresholds_are_in_full_where_exact_and_no_share_is_all_or_nothing():
    assert number(1_558_409.25, 9) == "1,558,409.25"
    assert number(1_558_409.75, 9) == "1,558,409.75"
    assert threshold(1 / 3, exact=True) == "0.3333333333333333"
    assert threshold(175.64999999999998, exact=True) == "175.65"
    assert [percent(x) for x in (0, 0.00001, 0.333, 0.99999, 1)] == ["0 %", "<0.1 %", "33.3 %", ">99.9 %", "100 %"]
    assert percent(-0.0) == "0 %"


@given(st.floats(1e-4, 1e14), st.integers(3, 9))
def test_what_is_written_reads_back_to_the_digits_asked_for(x, digits):
    assert float(number(x, digits).replace(",", "")) == pytest.approx(x, rel=0.51 * 10 ** (1 - digits))


def test_a_threshold_has_all_its_digits_but_no_tail_of_a_float():
    for x, expected in [
        (175.64999999999998, "175.65"),
        (168.14999999999998, "168.15"),
        (0.1 + 0.2, "0.3"),
        (0.14655, "0.14655"),
        (-0.5, "−0.5"),
        (1520.0, "1520"),
        (1e-9, "1·10⁻⁹"),
        (math.inf, "∞"),
        (0.1234567885, "0.1234567885"),
        (1_234_567.0000005, "1,234,567.0…"),
        (1 / 3, "0.333333…"),
        (-2 / 3, "−0.666666…"),
        (1e-9 / 7, "1.42857…·10⁻¹⁰"),
    ]:
        with case((x, expected)):
            assert threshold(x) == expected


POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def value_of(text):
    factor, _, power = text.replace(",", "").replace("−", "-").replace("…", "").partition("·10")
    return float(f"{factor}e{power.translate(POWERS)}" if power else factor)


@given(st.integers(-9_999_999_999, 9_999_999_998), st.integers(0, 10), st.integers(1, 1_000))
def test_the_threshold_between_two_measurements_reads_back_as_lying_between_them(n, places, gap):
    """Also for measurements of ten digits, and where values of the column lie close on both sides."""
    below, above = n / 10**places, (n + gap) / 10**places
    middle = (below + above) / 2
    if abs(middle) >= 1e-4 or not middle:  # smaller ones are written with a power of ten
        assert below < value_of(threshold(middle)) < above
        assert "…" not in threshold(middle)


@given(st.floats(-1e14, 1e14), st.booleans())
def test_a_threshold_is_written_to_the_last_digit_or_with_an_ellipsis(x, exact):
    text = threshold(x, exact)
    assert "·" in text or "…" in text or value_of(text) == pytest.approx(x, rel=2e-15, abs=0)
    assert not (exact and "…" in text)


def test_a_column_is_written_as_the_greatest_of_its_numbers_is():
    greatest = (0.32461, 1791.96, 0.0, 6.951e-6)
    assert [column_format(most) % most for most in greatest] == ["0.325", "1792", "0", "6.95e-06"]


def compared():
    """Numbers around an offset, with a spread, from 1e-9 to 1e9 each."""

    def around(parts):
        centre, spread, sign, places = parts
        return [sign * 10**centre + 10**spread * place for place in places]

    places = st.lists(st.floats(0, 1), min_size=2, max_size=9)
    return st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.sampled_from((-1, 0, 1)), places).map(around)


@given(compared())
def test_numbers_that_are_compared_and_differ_have_different_texts_in_the_same_order_none_of_them_far_off(values):
    written, spread = rounded_to(values), max(values) - min(values)
    texts = {x: written(x) for x in values}
    for x in values:
        if spread > 100 * NOISE * abs(x):
            assert abs(value_of(texts[x]) - x) <= 1.001 * MOST_OFF * spread + NOISE * abs(x)
        for y in values:
            if x + 2 * NOISE * max(abs(x), abs(y)) < y:
                assert value_of(texts[x]) < value_of(texts[y])


@given(st.lists(st.integers(100, 999), min_size=1, max_size=9), st.integers(-3, 9))
def test_numbers_of_three_digits_that_are_compared_are_written_as_each_alone(values, power):
    values = [value * 10.0**power for value in values]
    assert [rounded_to(values)(x) for x in values] == [number(x) for x in values]


@given(st.floats(1e-9, 1e9))
def test_rounding_errors_make_no_two_numbers_of_one(x):
    noisy = [x, x * (1 + 1e-15), x * (1 - 1e-15), x + 1.0]
    assert len({rounded_to(noisy)(value) for value in noisy[:3]}) == 1


@given(st.floats(-1e6, 1e6), st.lists(st.floats(1e-7, 1), min_size=1, max_size=5))
@example(0.0, [1 / 3, 0.3333333])
def test_a_long_threshold_has_the_digits_that_tell_it_from_those_beside_it(x, steps):
    cuts = [x, *(x + step for step in steps)]
    assume(not any(a != b and math.isclose(a, b, rel_tol=NOISE) for a in cuts for b in cuts))  # but for rounding
    texts = {cut: threshold(cut, beside=cuts) for cut in cuts}
    assert len(set(texts.values())) == len(set(cuts))


TARGET, COLUMN = Feature("y"), Feature("x")


@st.composite
def tables(draw):
    """A column and a target of some levels, each around an offset of its own, with a spread of its own."""
    spreads, offsets = (draw(st.tuples(*[st.floats(-9, 9)] * 2)) for _ in range(2))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    x, levels = np.sort(rng.random(60)), rng.permutation(6) / 5
    columns = []
    for place, values in enumerate((x, levels[(6 * np.arange(60) // 60)])):
        spread, offset = 10.0 ** spreads[place], 10.0 ** min(offsets[place], spreads[place] + 9)
        columns.append(offset + spread * values)
    return make_dataset("small", columns[0][:, None], [COLUMN], columns[1], TARGET)


def views_of(tree, data, node):
    """What each view says of the answer of a node."""
    card = {one["id"]: one for one in cards(tree, data, np.ones(60, bool))["nodes"]}
    spoken = describe(tree, data.features, TARGET, node)
    return {
        "cards": card[node]["says"],
        "words": says(tree, TARGET, node).removeprefix("mean "),
        "small tree": answer(tree, TARGET, node),
        "screen reader": re.findall(r", mean (.*?)(?:; splits.*)?\.$", spoken)[0],
        "drawing": answers_of(tree)(float(tree.value[node, 0])),
    }


@given(tables())
@settings(max_examples=40, deadline=None)
def test_no_two_leaves_and_no_two_thresholds_that_differ_read_the_same_in_any_view(data):
    tree = CartRegressor(max_depth=4).fit(data.X, data.y).tree_
    leaves = np.flatnonzero(is_leaf(tree)).tolist()
    spread, values = float(np.ptp(tree.value[:, 0])), tree.value[:, 0].tolist()
    told = {node: views_of(tree, data, node) for node in leaves}
    for view in next(iter(told.values())):
        texts = {node: told[node][view] for node in leaves}
        for a in leaves:
            assert abs(value_of(texts[a]) - values[a]) <= 1.01 * MOST_OFF * spread + 4 * NOISE * abs(values[a])
            for b in leaves:
                if values[a] + 4 * NOISE * abs(values[b]) < values[b]:
                    assert value_of(texts[a]) < value_of(texts[b]), view
    rules = to_rules(tree, data.features, TARGET)
    assert {re.findall(r"mean ([^ ]+)", line)[0] for line in rules.splitlines() if ". mean" in line} == {
        texts["cards"] for texts in told.values()
    }
    assert all(text in to_dot(tree, data.features, TARGET) for text in (one["cards"] for one in told.values()))
    for node in np.flatnonzero(~is_leaf(tree)).tolist():
        assert condition(tree, data.features, node) in rules or "…" in condition(tree, data.features, node)
    conditions = [condition(tree, data.features, node) for node in np.flatnonzero(~is_leaf(tree)).tolist()]
    assert len(set(conditions)) == len(set(tree.threshold[~is_leaf(tree)].tolist()))


@given(tables())
@settings(max_examples=40, deadline=None)
def test_a_threshold_sends_each_row_that_it_tells_apart_to_its_own_side(data):
    """A number with an ellipsis says no more than its digits: rows that begin with them are not decided by it."""
    tree = CartRegressor(max_depth=3).fit(data.X, data.y).tree_
    x = data.X[:, 0]
    for node in np.flatnonzero(~is_leaf(tree)).tolist():
        text, cut = condition(tree, data.features, node).removeprefix("x ≤ "), float(tree.threshold[node])
        said = value_of(text)
        assert abs(said - cut) <= 1.01 * MOST_OFF * np.ptp(x) + 4 * NOISE * abs(cut)
        if "…" not in text:
            assert ((x <= said) == (x <= cut)).all()
        else:
            assert (x[x <= said] <= cut).all()
