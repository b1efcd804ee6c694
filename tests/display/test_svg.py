"""The pieces of hand-drawn pictures: texts cannot break out of them, and numbers stand at their places."""

import base64
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.display import svg
from espalier.display.plotly import blank
from espalier.display.svg import Frame
from espalier.display.theme import FONT
from espalier.inert import legible
from espalier.language import ENGLISH, speak
from espalier.paths import SOURCES
from pages.shared.app import pictures

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
