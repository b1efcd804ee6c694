"""Colours of classes are told apart with any common kind of colour blindness, on light pages and on dark ones.

What a person sees is simulated as by Machado, Oliveira and Fernandes (2009), "A physiologically-based model for
simulation of color vision deficiency", IEEE TVCG 15(6), severity 1.0: a matrix for linear RGB. Differences are
distances in OKLab (Ottosson, 2020), times 100; of 2 a difference is just seen.
"""

import itertools
import re
import tomllib

import numpy as np
import pytest

from espalier.paths import APP, ASSETS
from espalier.views import ink
from espalier.views.theme import DARK, LIGHT, class_colours
from tests.tools.cases import case

LEAST = 8.0
VISION = {
    "common": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
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
                assert not {pair: apart for pair, apart in near.items() if apart < LEAST}


@pytest.mark.parametrize("vision", VISION)
def test_the_scale_of_numbers_gets_lighter_throughout(vision):
    script = (ASSETS / "components" / "shared" / "colours.js").read_text(encoding="utf-8")
    (scale,) = re.findall(r"SCALE = \[(.*)\]", script)
    lightness = [seen(colour, vision)[0] for colour in re.findall(r"#\w{6}", scale)]
    assert len(lightness) == 5
    assert np.diff(lightness).min() >= LEAST


def test_charts_of_streamlit_have_the_same_colours():
    theme = tomllib.loads((APP / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    assert theme["chartCategoricalColors"] == class_colours(len(LIGHT))["light"]
    assert theme["dark"]["chartCategoricalColors"] == class_colours(len(DARK))["dark"]
