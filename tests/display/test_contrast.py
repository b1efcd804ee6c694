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

from espalier.display import ink
from espalier.display.theme import DARK, LIGHT, class_colours
from espalier.paths import APP, ASSETS
from espalier.settings import MAX_CLASSES
from tests.tools.cases import case

LEAST_APART = 8.0
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
THEMES = ("light", "dark")
SIDEBAR = {"light": "#F8F8F7", "dark": "#21201D"}  # also of the tree's cards on dark pages
CARD = {"light": ink.PAPER["light"], "dark": SIDEBAR["dark"]}
TINT = {"light": 0.13, "dark": 0.2}  # of a leaf's class on its card (assets/components/tree/cards.js)
SEGMENT = 0.125  # of the accent, in the ground of a chosen segment: Streamlit's own
CONFIG = tomllib.loads((APP / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("theme", THEMES)
def test_the_ink_of_figures_is_readable_on_the_page_also_where_it_is_quiet(theme):
    quiet = ink.mix(ink.TEXT[theme], ink.PAPER[theme], 0.7)  # the faintest text of a picture
    assert contrast(ink.TEXT[theme], ink.PAPER[theme]) >= 7
    assert contrast(quiet, ink.PAPER[theme]) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_captions_are_readable_on_the_page_and_in_the_sidebar(theme):
    strength = float(read_off("frame.css", r"stCaptionContainer.*opacity: ([\d.]+)"))
    for paper in (ink.PAPER[theme], SIDEBAR[theme]):
        assert contrast(ink.mix(ink.TEXT[theme], paper, strength), paper) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_the_accent_is_readable_as_text_and_on_its_own_tint_of_a_chosen_segment(theme):
    accent, paper = CONFIG["theme"][theme]["primaryColor"], ink.PAPER[theme]
    for ground in (
        paper,
        SIDEBAR[theme],
        ink.mix(accent, paper, SEGMENT),
        ink.mix(accent, SIDEBAR[theme], SEGMENT),
    ):
        assert contrast(accent, ground) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_the_trees_quiet_text_is_readable_on_a_leaf_of_any_class(theme):
    for n in (8, MAX_CLASSES):
        for colour in class_colours(n)[theme]:
            assert contrast(muted(theme), ink.mix(colour, CARD[theme], TINT[theme])) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_every_colour_of_a_class_and_on_every_tint_of_it(theme):
    for colour in class_colours(MAX_CLASSES)[theme]:
        for tenth in range(11):
            ground = ink.mix(colour, ink.PAPER[theme], tenth / 10)
            assert contrast(ink.readable_on(ground), ground) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_the_wordmark_is_readable_in_the_sidebar_and_on_the_page(theme):
    name = "wordmark.svg" if theme == "light" else "wordmark-dark.svg"
    fill = read_off(name, r'<text.*fill="(#\w{6})"')
    assert contrast(fill, SIDEBAR[theme]) >= LEAST
    assert contrast(fill, ink.PAPER[theme]) >= LEAST
