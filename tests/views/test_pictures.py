"""Pictures on a page: an image sees nothing of the page around it, so that it brings its font along."""

import base64
import re

from espalier.paths import SOURCES
from espalier.views.theme import FONT
from pages.shared.app import pictures

NO_PAGES = {"theme.py", "graphviz.py", "sheet.py"}  # the font itself; Graphviz and paper have their own


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


def test_every_figure_has_the_one_font():
    views = [path for path in (SOURCES / "espalier" / "views").rglob("*.py") if path.name not in NO_PAGES]
    assert len(views) > 50
    assert [path.name for path in views if re.search("Arial|Helvetica|sans-serif", path.read_text())] == []
