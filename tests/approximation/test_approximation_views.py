"""What is said and drawn of an approximation tree: how sure its splits are, where to stop, where it differs."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from espalier.approximation import pictures as fidelity_by_depth
from espalier.approximation import words
from espalier.approximation.fidelity import Fidelity, FidelityLevel, cut
from espalier.approximation.pictures import FidelityLine
from espalier.approximation.words import SplitFacts
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.display.tree.cards import cards
from espalier.forests import surfaces as forests_surfaces
from espalier.learners.approximation.split_test import make_considered
from tests.tools.by_hand import admission, colours

NAN = float("nan")
GPA, TOEFL = Feature("gpa"), Feature("toefl")


def told(p_root=NAN, p_rivals=(0.3, 0.05), decided=(False, True), feature=(0, 1, 0), is_exact=False):
    """The course's tree; at the root gpa and two rivals, at node 2 toefl alone."""
    nodes = 5
    counts = np.array([7, 0, 4, 0, 0])
    sure = np.array([decided[0], False, decided[1], False, False])
    p = np.array([p_root, NAN, 0.01, NAN, NAN])
    runners = (
        [0, 3, 3, 4, 4, 4], [*feature, 1], [3.0, 60.0, 2.5, 64.5], [0] * 4, [False] * 4, [0.2, 0.15, 0.1, 0.3],
        [NAN, *p_rivals, NAN],
    )  # fmt: skip
    n_samples = np.array([30_000, 0, 10_000, 0, 0])
    made = make_considered(counts, np.zeros(nodes), n_samples, [3, 0, 1, 0, 0], p, sure, runners)
    return SplitFacts(admission(), made, (GPA, TOEFL), np.zeros(2, dtype=bool), 0.1, is_exact)


def level(depth, distance, agreement=0.9):
    return FidelityLevel(depth, 2**depth, Fidelity(100, distance, agreement))


# ---- in words


def test_a_split_that_the_test_decided_says_so_with_how_many_samples():
    one = told(p_root=0.04, decided=(True, True))
    assert words.status(one, 0) == words.SURE
    assert words.verdict(one, 0) == (
        "**Decided with 30,000 made-up cases**: others differ with a chance of at most 4 %."
    )
    assert words.sureness(one) == "Every split was decided by the test."
    assert words.unsure_splits(one) == []


def test_a_tie_warns_of_the_column_or_leaves_the_threshold_open():
    one = told(p_root=0.35)
    assert words.status(one, 0) == words.COLUMN
    said = words.verdict(one, 0)
    assert said.startswith(
        "**Do not rely on the column:** toefl ≤ 60 was not found to be worse. After 30,000 made-up"
    )
    assert words.unsure_splits(one) == [0]
    assert words.sureness(one) == "1 of 2 splits were decided; **?** marks the others."
    assert "<toefl ≤ 60>" in words.verdict(one, 0, lambda text: f"<{text}>")
    one = told(p_root=0.35, feature=(0, 0, 1), p_rivals=(0.3, 0.05))
    assert words.status(one, 0) == words.THRESHOLD
    assert words.verdict(one, 0).startswith("**Only the threshold is open.**")


def test_exact_splits_speak_of_no_samples():
    one = told(decided=(True, True), is_exact=True)
    assert words.verdict(one, 0) == "**Found exactly:** the split that sampling without end would find."
    assert words.status(one, 0) == words.EXACT
    assert words.sureness(one) == "Every split is exact."
    assert "chance" not in words.runners_table(one, 0)


def test_leaves_and_a_root_that_was_stopped_say_why_they_are_not_split():
    one = told()
    assert words.status(one, 1) == ""
    assert "no split was tried here" in words.verdict(one, 1)
    root = make_considered([7], [0], [500], [1], [0.4], [False], ([0, 1], [0], [3.0], [0], [False], [0.2], [NAN]))
    one = SplitFacts(cut(admission(), 0), root, (GPA, TOEFL), np.zeros(2, dtype=bool), 0.1)
    assert "growing was stopped" in words.verdict(one, 0)
    assert words.sureness(one) == "The tree asks nothing."
    nothing = make_considered([7], [0], [500], [1], [0.0], [True], ([0, 0], *[[]] * 6))
    assert "no split of these rows changes" in words.verdict(one._replace(considered=nothing), 0)


def test_runners_stand_in_their_order_with_their_chances():
    table = words.runners_table(told(), 0)
    assert table["column"].tolist() == ["✓ gpa", "toefl", "gpa"]
    assert table["asks"].tolist() == ["≤ 3", "≤ 60", "≤ 2.5"]
    assert table["chance"].tolist() == ["best", "30 %", "5 %"]
    assert table["gain"].tolist() == [0.2, 0.15, 0.1]


@pytest.mark.parametrize(("p", "written"), [(0.001, "0.1 %"), (0.0006, "<0.1 %"), (0.0, "<0.1 %")])
def test_a_chance_below_one_in_a_thousand_is_not_given_as_a_number(p, written):
    assert words.runners_table(told(p_rivals=(0.3, p)), 0)["chance"].tolist() == ["best", "30 %", written]


def test_runners_on_categories_are_named():
    tree = colours()
    made = make_considered(
        [1, 0, 0], [0] * 3, [100, 0, 0], [1, 0, 0], [0.0, NAN, NAN], [True, False, False],
        ([0, 1, 1, 1], [0], [NAN], [0b101], [False], [0.5], [NAN]),
    )  # fmt: skip
    colour = Feature("colour", "category", ("red", "green", "blue"))
    one = SplitFacts(tree, made, (colour,), np.zeros(1, dtype=bool), 0.1)
    assert words.asks(one, 0) == "colour is red or blue"
    assert words.runners_table(one, 0)["asks"].tolist() == ["is red or blue"]


@pytest.mark.parametrize(
    ("depths", "enough", "deepest", "said"),
    [
        (3, 2, 3, "**Depth 2 is enough:**"),
        (3, 3, 3, "**Still gaining at depth 3.**"),
        (3, 3, 5, "the rows allow no deeper tree"),
    ],
)
def test_where_to_stop_is_said(depths, enough, deepest, said):
    levels = [level(d, 0.5 / (d + 1)) for d in range(depths + 1)]
    assert said in words.enough_words(levels, enough, deepest)


# ---- pictures


def test_undecided_splits_are_marked_and_the_cards_are_then_others():
    data = samples.load("iris")
    tree = admission()._replace(value=np.tile([0.2, 0.3, 0.5], (5, 1)))
    plain = cards(tree, data, np.arange(20))
    marked = fidelity_by_depth.mark_unsure(plain, [2])
    assert [card["id"] for card in marked["nodes"] if card.get("unsure")] == [2]
    assert marked["id"] != plain["id"]
    assert not any("unsure" in card for card in plain["nodes"])
    assert fidelity_by_depth.mark_unsure(plain, []) is plain


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("is_classification", [False, True])
def test_the_curve_has_a_point_for_each_depth_and_a_mark(is_classification, dark):
    lines = [FidelityLine("made-up cases", [level(0, 0.6, 0.3), level(1, 0.2, 0.8), level(2, 0.19, 0.81)])]
    lines.append(
        FidelityLine("held out <b>", [level(0, 0.7, NAN), level(1, 0.3, NAN), level(2, 0.2, NAN)], dashed=True)
    )
    for measure in fidelity_by_depth.measures(is_classification):
        drawn = fidelity_by_depth.depth_picture(lines, measure, 1).draw(dark)
        svg = ElementTree.fromstring(drawn)
        known = 2 if measure.key == "distance" else 1
        assert len(svg.findall(".//{*}circle")) == 3 * known + known  # and in the legend
        assert [text.text for text in svg.findall(".//{*}text")].count("enough") == 1
        assert "enough" not in fidelity_by_depth.depth_picture(lines, measure, None).draw(dark)
        assert "<b>" not in drawn


def test_a_lone_root_has_a_curve_of_one_point_and_curves_are_told_in_numbers():
    measure = fidelity_by_depth.measures(True)[1]
    line = FidelityLine("made-up cases", [level(0, 0.0, 1.0)])
    drawn = fidelity_by_depth.depth_picture([line], measure, 0).draw(False)
    assert len(ElementTree.fromstring(drawn).findall(".//{*}circle")) == 2  # and in the legend
    first, second = fidelity_by_depth.measures(True)
    lines = [FidelityLine("made-up cases", [level(0, 0.6, 0.3), level(1, 0.2, 0.8)])]
    assert fidelity_by_depth.depth_picture(lines, first, 1).alt == (
        "Average gap in the chances on made-up cases, by depth from 0: 0.6, 0.2. Depth 1 is enough."
    )
    assert "30 %, 80 %" in fidelity_by_depth.depth_picture(lines, second, None).alt


def test_the_gap_of_classes_is_half_the_sum_and_of_numbers_a_part_of_the_range():
    model, tree = np.array([[0.9, 0.1, 0], [0.4, 0.5, 0.1]]), np.array([[0.8, 0.1, 0.1], [0.6, 0.3, 0.1]])
    found = fidelity_by_depth.gap(model, tree, samples.load("iris"))
    assert found.size == pytest.approx([0.1, 0.2])
    assert found.is_other.tolist() == [False, True]
    data = samples.load("diabetes")
    span = data.y.max() - data.y.min()
    found = fidelity_by_depth.gap(np.array([[0.0], [0.0]]), np.array([[span / 4], [3 * span]]), data)
    assert found.size == pytest.approx([0.25, 1.0])
    assert not found.is_other.any()


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_of_the_gap_is_paper_where_both_say_the_same(dark, monkeypatch):
    drawn = []
    monkeypatch.setattr(fidelity_by_depth, "frame_picture", lambda colours, *_: drawn.append(colours) or "<svg/>")
    data = samples.load("iris")
    plane = forests_surfaces.plane_of(data, (2, 3))
    said = np.tile([0.6, 0.3, 0.1], (3, 1))
    other = np.array([[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.3, 0.6, 0.1]])
    fidelity_by_depth.gap_picture(fidelity_by_depth.gap(said, other, data), plane, data).draw(dark)
    paper = [0x17, 0x16, 0x14] if dark else [255, 255, 255]
    assert drawn[0][0].tolist() == paper
    far = np.abs(drawn[0].astype(int) - paper).sum(axis=1)
    assert 0 == far[0] < far[1] < far[2]


def test_the_gap_is_told_in_numbers():
    for name, is_other, said in (
        ("iris", True, "Over 50 % of this plane"),
        ("iris", False, "Over 0 % of this plane"),
        ("diabetes", True, "20 % of the target's range"),
    ):
        data = samples.load(name)
        found = fidelity_by_depth.Gap(np.array([0.1, 0.3]), np.array([False, is_other]))
        plane = forests_surfaces.plane_of(data, (2, 3))
        assert said in fidelity_by_depth.gap_picture(found, plane, data).alt
