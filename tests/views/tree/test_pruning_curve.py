"""Error against size: every tree of the sequence has its dot, and words say what the rules choose."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.analysis.tree.pruning import PruningSequence, SubtreeErrors
from espalier.learners.pruning import PruningPath
from espalier.views.tree.pruning_curve import (
    PruningCurve,
    price_words,
    pruning_alt,
    pruning_curve,
    pruning_table,
    rule_words,
)

PATH = PruningPath(np.array([0.0, 0.01, 0.02, 0.2]), np.array([9, 5, 3, 1]), np.array([0.0, 0.1, 0.2, 0.5]))
TRAINING = SubtreeErrors(np.array([0.0, 0.05, 0.1, 0.4]), np.zeros(4))
VALIDATED = SubtreeErrors(np.array([0.22, 0.2, 0.21, 0.45]), np.full(4, 0.02))


def curve(is_validated=True, **changes):
    sequence = PruningSequence(PATH, TRAINING, VALIDATED) if is_validated else None
    return PruningCurve(PATH, TRAINING, None, sequence, 3, True)._replace(**changes)


def elements(drawn, name):
    return [e for e in ET.fromstring(drawn).iter() if e.tag.endswith("}" + name)]


@pytest.mark.parametrize("dark", [True, False])
def test_each_tree_has_a_dot_on_each_line_and_the_rules_have_rings(dark):
    circles = elements(pruning_curve(curve(), dark), "circle")
    assert len([c for c in circles if c.get("fill") != "none"]) == 2 * 4
    assert len([c for c in circles if c.get("fill") == "none"]) == 2


def test_without_cross_validation_there_is_neither_a_band_nor_a_ring():
    drawn = pruning_curve(curve(is_validated=False), False)
    assert "fill-opacity" not in drawn
    assert not [c for c in elements(drawn, "circle") if c.get("fill") == "none"]
    assert rule_words(curve(is_validated=False)) == ""


def test_sizes_below_the_picture_stand_apart():
    sizes = np.unique(np.geomspace(1, 1620, 200).astype(int))[::-1]
    path, errors = PruningPath(np.arange(len(sizes)) / 9, sizes, np.zeros(len(sizes))), np.zeros(len(sizes))
    long = curve(is_validated=False, path=path, training=SubtreeErrors(errors, errors), shown=1620)
    words = elements(pruning_curve(long, False), "text")
    below = [(float(e.get("x") or 0), e.text or "") for e in words if (e.text or "").isdigit()]
    ends = [(x - 3.5 * len(size), x + 3.5 * len(size)) for x, size in below]
    assert len(below) > 8
    assert all(end + 7 < start for (_, end), (start, _) in itertools.pairwise(ends))


def test_lower_errors_stand_lower_and_larger_trees_to_the_right():
    dots = elements(pruning_curve(curve(is_validated=False), False), "circle")
    x, y = ([float(dot.get(name) or 0) for dot in dots] for name in ("cx", "cy"))
    assert x == sorted(x, reverse=True)  # the sequence begins with the whole tree
    assert y == sorted(y, reverse=True)  # whose training error is least; pixels count from above


def test_the_words_name_the_least_error_and_the_smallest_tree_within_one_standard_error():
    assert rule_words(curve()) == (
        "The cross-validated error is least with 5 leaves: 20 %, give or take 2 % (one standard error). "
        "Within one standard error of that, the smallest tree has 3 leaves: 21 %."
    )
    assert "The tree shown has 3 leaves." in pruning_alt(curve())


def test_the_prices_are_those_between_which_the_tree_is_best():
    assert price_words(curve()) == "The tree shown is the best for every price α per leaf from 0.02 to below 0.2."
    assert price_words(curve(shown=1)).endswith("from 0.2 on.")
    assert price_words(curve(shown=4)) == ""  # pruned in another way


def test_the_table_has_a_row_for_each_tree():
    table = pruning_table(curve(held=VALIDATED))
    assert table["leaves"].tolist() == [9, 5, 3, 1]
    assert [name for name in table if re.search("standard error", name)] == [
        "cross-validated standard error",
        "held out standard error",
    ]


def test_a_lone_pair_of_trees_with_equal_errors_can_be_drawn():
    path = PruningPath(np.array([0.0, 0.1]), np.array([2, 1]), np.zeros(2))
    flat = SubtreeErrors(np.zeros(2), np.zeros(2))
    assert "<svg" in pruning_curve(PruningCurve(path, flat, flat, None, 1, False), True)
