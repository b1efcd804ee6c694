"""The race of best and bound: both lines stand where the numbers are."""

import itertools
import re
import xml.etree.ElementTree as ET

from espalier.views.optimal import search_trace
from tests.tools.cases import case

TRACE = [(0.0, 40.0, 0.0), (0.5, 20.0, 0.0), (1.0, 14.0, 5.0), (3.0, 14.0, 9.0)]


def drawn(trace=TRACE, seconds=4.0, dark=False, counted=True):
    return ET.fromstring(search_trace.trace_picture(trace, seconds, dark, counted))


def texts(picture):
    return ["".join(t.itertext()).strip() for t in picture.iter() if t.tag.endswith("text")]


def lines(picture):
    """Corners of both lines, best first."""
    paths = [p for p in picture.iter() if p.tag.endswith("path") and p.get("stroke-width") == "2.2"]
    numbers = [re.findall(r"-?[\d.]+", p.get("d", "")) for p in paths]
    return [list(zip(map(float, found[::2]), map(float, found[1::2]), strict=True)) for found in numbers]


def test_the_lines_end_with_the_latest_values_and_their_names():
    assert texts(drawn())[-2:] == ["● best 14", "● bound 9"]


def test_the_best_only_falls_and_the_bound_only_rises():
    best, bound = lines(drawn())
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(best))
    assert all(a[1] >= b[1] for a, b in itertools.pairwise(bound))
    assert best[-1][1] < bound[-1][1]  # pixels count from above


def test_a_line_stays_as_it_is_until_it_changes_and_reaches_now():
    best, _ = lines(drawn())
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in itertools.pairwise(best))
    assert best[-1][0] == search_trace.WIDTH - search_trace.MARGINS[1]


def test_once_proved_both_lines_meet_and_their_names_do_not_overlap():
    picture = drawn([*TRACE, (4.0, 12.0, 12.0)])
    best, bound = lines(picture)
    assert best[-1] == bound[-1]
    heights = [float(t.get("y", 0)) for t in picture.iter() if t.tag.endswith("text")][-2:]
    assert abs(heights[1] - heights[0]) >= search_trace.LABEL_GAP


def test_any_trace_makes_a_small_picture():
    for trace in [[], [(0.0, 0.0, 0.0)], [(0.0, 7.0, 7.0)], [(0.0, 3.0, 0.0)] * 5000]:
        for dark in [True, False]:
            with case((trace, dark)):
                source = search_trace.trace_picture(trace, 0.0, dark)
                assert len(source) < 60_000
                assert "nan" not in source
                ET.fromstring(source)


def test_errors_are_counted_in_whole_numbers_and_costs_are_not():
    few = [(0.0, 2.0, 0.0)]
    assert [t for t in texts(drawn(few)) if t.replace(".", "").isdigit()] == ["0", "1", "2"]
    assert "0.5" in texts(drawn(few, counted=False))


def test_the_picture_has_words():
    assert search_trace.trace_alt(TRACE) == "From 40 to 14 errors in 3 s; the proved bound rose from 0 to 9."
    assert "no tree yet" in search_trace.trace_alt([])
