"""Figures of Plotly, as all of them begin."""

from espalier.language import ENGLISH, speak
from espalier.views.plotly import blank


def test_axes_have_the_decimal_and_the_thousands_mark_of_the_language():
    assert blank(False, 100).layout.separators == ".,"  # type: ignore[attr-defined]
    speak("de")
    try:
        assert blank(False, 100).layout.separators == ",\u202f"  # type: ignore[attr-defined]
    finally:
        speak(ENGLISH)
