"""Still pictures: what a Plotly figure draws stands at the same places in SVG, in the same colours, as text."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.plotly import blank, safe
from espalier.reports import still as marks
from espalier.reports.paper import svg_of
from espalier.reports.still import axis_of, plain_text, still_picture


def figure(*traces, **axes):
    made = blank(False, 300)
    made.add_traces(list(traces))
    for name, settings in axes.items():
        made.update_layout({name: settings})
    return made


def numbers(text):
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text)]


def path_of(svg, colour):
    (path,) = re.findall(rf'<path d="([^"]*)"[^>]*stroke="{colour}"', svg)
    return np.array(numbers(path)).reshape(-1, 2)


def line(**more):
    return go.Scatter({"mode": "lines", "line": {"color": "#112233", "width": 2}} | more)


def test_lines_are_straight_turn_with_their_axis_are_parted_by_a_missing_value_and_steps_go_across_first():
    one = still_picture(figure(line(x=[0, 1, 2, 3], y=[10, 20, 30, 40])))
    steps = np.diff(path_of(one, "#112233"), axis=0)
    assert steps == pytest.approx(np.tile(steps[0], (3, 1)), abs=0.11)
    assert steps[0, 0] > 0 > steps[0, 1]
    upright = path_of(still_picture(figure(line(x=[0, 1], y=[1, 2]))), "#112233")
    turned = figure(line(x=[0, 1], y=[1, 2]), yaxis={"autorange": "reversed"})
    assert path_of(still_picture(turned), "#112233")[:, 1] == pytest.approx(upright[::-1, 1], abs=0.11)
    one = still_picture(figure(line(x=[0, 1, 2, 3, 4], y=[1, 2, None, 2, 1])))
    assert len(re.findall('stroke="#112233"', one)) == 2
    corners = marks.steps(np.array([[0.0, 5.0], [2.0, 1.0], [4.0, 3.0]]))
    assert corners.tolist() == [[0, 5], [2, 5], [2, 1], [4, 1], [4, 3]]


def test_a_band_reaches_from_the_line_before_it_to_its_own():
    low = line(x=[0, 1], y=[1, 1], line={"width": 0})
    high = line(x=[0, 1], y=[3, 3], line={"width": 0}, fill="tonexty", fillcolor="rgba(1,2,3,0.5)")
    (path,) = re.findall(r'<path d="([^"]*)Z" fill="rgba\(1,2,3,0.5\)"', still_picture(figure(low, high)))
    corners = np.array(numbers(path)).reshape(-1, 2)
    assert len(set(corners[:, 0])) == len(set(corners[:, 1])) == 2


def test_bars_are_as_long_as_their_numbers_and_stand_on_each_other_where_they_are_stacked():
    first = go.Bar(x=[0.25], y=["a"], orientation="h", marker={"color": "#111111"})
    second = go.Bar(x=[0.5], y=["a"], orientation="h", marker={"color": "#222222"})
    made = figure(first, second, xaxis={"range": [0, 1]})
    made.update_layout(barmode="stack")
    boxes = {}
    for box, colour in re.findall(r'<rect ([^>]*)fill="(#[12]+)"', still_picture(made)):
        boxes[colour] = numbers(box)
    (x1, _, wide1, _), (x2, _, wide2, _) = boxes["#111111"], boxes["#222222"]
    assert wide2 == pytest.approx(2 * wide1, abs=0.2)
    assert x2 == pytest.approx(x1 + wide1, abs=0.2)


def test_cells_are_a_picture_and_a_line_that_is_named_stands_in_the_legend():
    heat = go.Heatmap(z=[[0, 1], [1, None]], colorscale=[[0, "#000000"], [1, "#ffffff"]])
    assert "data:image/png;base64," in still_picture(figure(heat))
    named = figure(line(x=[0, 1], y=[0, 1], name=safe("<b> & co")), showlegend=True)
    assert "&lt;b&gt; &amp; co</text>" in still_picture(named)


def test_on_a_dark_screen_words_are_light_and_empty_cells_are_as_dark_as_the_page():
    heat = go.Heatmap(z=[[0, None]], colorscale=[[0, "#808080"], [1, "#808080"]])
    drawn = svg_of(Picture(lambda dark: blank(dark, 300).add_traces([heat, line(x=[0, 1], y=[0, 1])]), "Words."))
    assert f'fill="light-dark({ink.TEXT["light"]}|{ink.TEXT["dark"]})"' in drawn
    assert drawn.count('<image class="on-') == 2


def test_shares_are_written_as_percents_categories_by_their_names_and_texts_without_escapes():
    shares = axis_of(figure(line(x=[0, 1], y=[0, 1]), yaxis={"tickformat": ",.0%", "range": [0, 1]}), "y")
    assert (0.4, "40 %") in shares.labels
    names = axis_of(figure(line(x=["b", "a", "b"], y=[1, 2, 3])), "x")
    assert names.numbers(["a", "b"]).tolist() == [1, 0]
    assert plain_text(safe("a < %{x}")) == "a < %{x}"


def test_dots_whose_colours_tell_numbers_have_a_shade_each_and_all_stand_where_they_are():
    marker = {
        "color": [0.0, 0.4, 1.0, 0.99], "cmin": 0, "cmax": 1, "size": 6,
        "colorscale": [[0, "#000000"], [1, "#FF0000"]], "line": {"color": "#123123", "width": 1},
    }  # fmt: skip
    dots = go.Scatter(x=[0, 1, 2, None], y=[5, 5, 5, 5], mode="markers", marker=marker)
    one = still_picture(figure(dots, xaxis={"range": [0, 2]}))
    rims, *shades = re.findall(r'<path d="([^"]*)" fill="none" stroke="(#[0-9A-F]{6})" stroke-width="(\d)"', one)
    assert rims[1:] == ("#123123", "8")
    assert [(int(colour[1:3], 16), size) for _, colour, size in shades] == [(16, "6"), (112, "6"), (239, "6")]
    assert "".join(path for path, *_ in shades) == rims[0]
    assert rims[0].count("M") == 3


def test_a_line_at_zero_is_there_where_the_figure_has_one_within_its_ends():
    made = figure(line(x=[-1, 1], y=[1, 2]), xaxis={"zeroline": True, "zerolinecolor": "#ABCDEF"})
    middle = path_of(still_picture(made), "#112233")[:, 0].mean()
    assert path_of(still_picture(made), "#ABCDEF")[:, 0] == pytest.approx([middle, middle], abs=0.11)
    made.update_xaxes(range=[0.5, 1])
    assert "#ABCDEF" not in still_picture(made)


def test_intervals_are_lines_through_the_whole_interval():
    dots = go.Scatter(
        x=[1], y=[5], mode="markers", marker={"color": "#445566", "size": 8},
        error_y={"type": "data", "array": [2], "arrayminus": [1], "color": "#778899"},
    )  # fmt: skip
    one = still_picture(figure(dots, yaxis={"range": [0, 10]}))
    (_, top), (_, floor) = path_of(one, "#778899")[::-1]
    (middle,) = [float(y) for y in re.findall(r'cy="([\d.]+)" r="4" fill="#445566"', one)]
    assert (middle - top) == pytest.approx(2 * (floor - middle), abs=0.3)
