"""Text can be read: 4.5 to 1 against what it stands on (WCAG 2.2, 1.4.3), on light pages and on dark ones."""

import re
import tomllib

import pytest

from espalier.paths import APP, ASSETS
from espalier.settings import MAX_CLASSES
from espalier.views import ink
from espalier.views.theme import class_colours

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
    quiet = ink.mixed(ink.TEXT[theme], ink.PAPER[theme], 0.7)  # the faintest text of a picture
    assert contrast(ink.TEXT[theme], ink.PAPER[theme]) >= 7
    assert contrast(quiet, ink.PAPER[theme]) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_captions_are_readable_on_the_page_and_in_the_sidebar(theme):
    strength = float(read_off("frame.css", r"stCaptionContainer.*opacity: ([\d.]+)"))
    for paper in (ink.PAPER[theme], SIDEBAR[theme]):
        assert contrast(ink.mixed(ink.TEXT[theme], paper, strength), paper) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_the_accent_is_readable_as_text_and_on_its_own_tint_of_a_chosen_segment(theme):
    accent, paper = CONFIG["theme"][theme]["primaryColor"], ink.PAPER[theme]
    for ground in (
        paper,
        SIDEBAR[theme],
        ink.mixed(accent, paper, SEGMENT),
        ink.mixed(accent, SIDEBAR[theme], SEGMENT),
    ):
        assert contrast(accent, ground) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_the_trees_quiet_text_is_readable_on_a_leaf_of_any_class(theme):
    for n in (8, MAX_CLASSES):
        for colour in class_colours(n)[theme]:
            assert contrast(muted(theme), ink.mixed(colour, CARD[theme], TINT[theme])) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_every_colour_of_a_class_and_on_every_tint_of_it(theme):
    for colour in class_colours(MAX_CLASSES)[theme]:
        for tenth in range(11):
            ground = ink.mixed(colour, ink.PAPER[theme], tenth / 10)
            assert contrast(ink.readable_on(ground), ground) >= LEAST


@pytest.mark.parametrize("theme", THEMES)
def test_the_wordmark_is_readable_in_the_sidebar_and_on_the_page(theme):
    name = "wordmark.svg" if theme == "light" else "wordmark-dark.svg"
    fill = read_off(name, r'<text.*fill="(#\w{6})"')
    assert contrast(fill, SIDEBAR[theme]) >= LEAST
    assert contrast(fill, ink.PAPER[theme]) >= LEAST
