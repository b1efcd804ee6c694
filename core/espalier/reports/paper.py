"""Parts on paper: a report as an HTML document of its own, to read, to print and to keep beside a decision.

Pictures of a report in the colours of the screen: each is drawn for light and for dark, and written once.

Where the two drawings differ in a colour, the picture names the pair, and the style of the document says which
of the two it is: the light one on paper and on light screens, the other on dark ones. So a report needs no script
for it, and hardly more room.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Any

from espalier.display import ink
from espalier.display.paper import document, escape
from espalier.display.parts import (
    Grid,
    Listed,
    Marked,
    Part,
    Picture,
    PictureRow,
    Prose,
    Report,
    ReportSection,
    Subheading,
    Verbatim,
)

STYLE = """
@page { size: A4; margin: 16mm 15mm; }
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 900px; margin: 2rem auto;
       padding: 0 1rem; color: #222; background: #fff; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
h2, h3, figcaption, p:has(> strong:only-child) { break-after: avoid; }
p:has(+ .wide), p:has(+ figure), p:has(+ pre) { break-after: avoid; }
.kept:has(+ .wide), .kept:has(+ figure), .kept:has(+ .row) { break-after: avoid; }
h2 + *, h3 + * { break-before: avoid; }
p, li { orphans: 3; widows: 3; }
figure { margin: 1rem 0; overflow-x: auto; break-inside: avoid; }
[role=img] { max-width: calc(1.25 * var(--own, 100%)); }
svg { width: 100%; min-width: 34rem; height: auto; display: block; }
.large svg { min-width: 0; max-width: 26rem; } .row .large { max-width: 26rem; }
.row { display: flex; flex-wrap: wrap; gap: .8rem; break-inside: avoid; } .row svg { min-width: 0; }
.row figure { flex: 1 1 9rem; max-width: 15rem; margin: .4rem 0; }
figcaption, .small { color: #555; font-size: .85rem; text-align: left; } .small p { margin: .2rem 0; }
.wide { overflow-x: auto; overflow-wrap: normal; margin: .5rem 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; }
tr, pre, .kept { break-inside: avoid; } .long { min-width: 15rem; }
@media print, (min-width: 700px) { .middle { min-width: 8.5rem; } }
pre { background: #f5f5f3; padding: .8rem; font-size: .8rem; white-space: pre-wrap; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; } body { color: #e4e4e0; background: DARK; }
  figcaption, .small { color: #b4b4ae; } th, td { border-color: #43464c; } pre { background: #24272c; }
}
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; }
  figure, .wide { overflow: visible; } .short { break-inside: avoid; } .long { min-width: 11rem; }
  svg { min-width: 0; } [role=img] { max-width: calc(1.1 * var(--own, 100%)); } .row figure { flex-basis: 7rem; }
  pre { background: none; border: 1px solid #ddd; }
}
""".replace("DARK", ink.PAPER["dark"])  # the paper that pictures are drawn for


WIDTH = re.compile(r'<[^>]* width="([0-9.]+)"')  # of a picture: its first element has it
MIDDLE = 14  # letters of a cell that is not squeezed to its longest word, where there is room
SHORT, LONG = 8, 45  # rows of a table that stands on one sheet of paper; letters of a cell that is kept wide
ESCAPE, FIRST_FREE = (
    re.compile(r"\\([!-/:-@\[-`{-~])"),
    0xE000,
)  # a mark after a backslash; letters of no alphabet
ASIDE = f"[{chr(FIRST_FREE)}-{chr(FIRST_FREE + ord('~'))}]"  # marks that stand aside

COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}|rgba?\([^)]*\)")
PIECE = re.compile(r"<[^>]*>|[^<]+")  # of SVG: an element's beginning or end, or text
VALUE = re.compile(r'(?<==")[^"]*(?=")')  # of an attribute
PAIR = re.compile(r'(?<=")light-dark\(([^|"]*)\|([^|"]*)\)(?=")')
ON_LIGHT, ON_DARK = "on-light", "on-dark"  # classes of what is drawn for one kind of screen alone
SWITCH = (
    f".{ON_DARK} {{ display: none; }}",
    f".{ON_DARK} {{ display: inline; }} .{ON_LIGHT} {{ display: none; }}",
)


def to_html(report: Report) -> str:
    """Return the report as an HTML document.

    >>> one = Report("Trees", ("All of them.",), (ReportSection("One", (Grid(("a", "b"), (("x", "1"),)),)),), ())
    >>> "<h2>One</h2>" in to_html(one)
    True
    """
    sections = "".join(f"<section>{_section(section)}</section>" for section in report.sections)
    small = f'<div class="small">{_paragraphs(report.small_print)}</div>'
    head = f"<h1>{escape(report.title)}</h1>{_paragraphs(report.lead)}{small}"
    body, colours = number_colours(f"<main>{head}{sections}</main>")
    return document(report.title, STYLE + colours, body)


def parts_html(parts: Sequence[Part]) -> str:
    """Return parts without pictures as HTML of their own, outside of a document."""
    return "".join(map(_part, parts))


def _section(one: ReportSection) -> str:
    """Return a section; its headings stay on one sheet of paper with the first thing below them that is none."""
    n = next((k for k, part in enumerate(one.parts) if not isinstance(part, Subheading)), len(one.parts)) + 1
    first, rest = one.parts[:n], one.parts[n:]
    head = f"<h2>{escape(one.heading)}</h2>{''.join(map(_part, first))}"
    goes_on_overleaf = bool(first) and isinstance(first[-1], Grid) and len(first[-1].rows) > SHORT
    below = "".join(map(_part, rest))
    return f"{head}{below}" if goes_on_overleaf else f'<div class="kept">{head}</div>{below}'


def _part(part: Part) -> str:
    match part:
        case Prose(text):
            return _paragraphs((text,))
        case Marked(text):
            return "".join(_markup(text))
        case Subheading(text):
            return f"<h3>{escape(text)}</h3>"
        case Listed(items):
            return f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</ul>"
        case Grid():
            return _grid(part)
        case Picture():
            return _figure(part)
        case PictureRow(pictures):
            return f'<div class="row">{"".join(map(_figure, pictures))}</div>'
        case Verbatim(text):
            lines = "\n".join(escape(line) for line in text.splitlines())
            return f'<pre tabindex="0">{lines}</pre>'


def _figure(picture: Picture) -> str:
    """Return the picture, no larger than its words allow; keys scroll it where it is wider than the page."""
    drawing = svg_of(picture)
    caption = f"<figcaption>{escape(picture.caption)}</figcaption>" if picture.caption else ""
    width = WIDTH.search(drawing)
    limit = f' style="--own: {width[1]}px"' if width else ""
    image = f'<div role="img" aria-label="{escape(picture.alt)}"{limit}>{drawing}</div>'
    kind = ' class="large"' if picture.is_large else ""
    return f'<figure tabindex="0"{kind}>{caption}{image}</figure>'


def _markup(text: str) -> Iterator[str]:
    """Yield the HTML of paragraphs, headings and lists."""
    aside = ESCAPE.sub(lambda mark: chr(FIRST_FREE + ord(mark[1])), text)
    lines = [line.strip() for line in aside.splitlines() if line.strip()]
    for tag, group in groupby(lines, lambda line: {"-": "li", "#": "h3"}.get(line[0], "p")):
        texts = "".join(f"<{tag}>{_emphasise(_inline(line.lstrip('-# ')))}</{tag}>" for line in group)
        texts = f"<ul>{texts}</ul>" if tag == "li" else texts
        # the marks that were set aside, escaped for HTML
        yield re.sub(ASIDE, lambda mark: escape(chr(ord(mark[0]) - FIRST_FREE)), texts)


def _emphasise(text: str) -> str:
    bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", bold)


def _grid(grid: Grid) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in grid.heads)
    rows = "".join(
        f'<tr><th scope="row">{_inline(first)}</th>{"".join(map(_cell, cells))}</tr>'
        for first, *cells in grid.rows
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    kind = "wide short" if len(grid.rows) <= SHORT else "wide"
    return f'<div class="{kind}" tabindex="0">{table}</div>'


def _cell(text: str) -> str:
    kind = ' class="long"' if len(text) > LONG else ' class="middle"' if len(text) > MIDDLE else ""
    return f"<td{kind}>{_inline(text)}</td>"


def _inline(text: str) -> str:
    """Return the text as HTML; a number and its sign of per cent stay on one line."""
    return escape(text).replace(" %", "\u00a0%")


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{_inline(text)}</p>" for text in texts if text)


# Pictures --------------------------------------------------------------------------------------------


def svg_of(picture: Picture) -> str:
    """Return the picture as SVG that follows the screen; Plotly's figures stand still."""
    return on_any_screen(lambda dark: _svg(picture.draw(dark), dark))


def _svg(drawing: Any, dark: bool) -> str:
    if isinstance(drawing, str):
        return drawing
    from espalier.reports.still import still_picture  # Plotly takes long to import, and most parts need none of it

    return still_picture(drawing, dark)


def on_any_screen(draw: Callable[[bool], str]) -> str:
    """Return the SVG that `draw` gives for light (False) and for dark (True), as one with pairs of colours.

    `number_colours` makes a document of such pictures.

    >>> from espalier.display import ink, svg
    >>> on_any_screen(lambda dark: svg.element("g", fill=ink.PAPER[ink.theme_of(dark)]))
    '<g fill="light-dark(#FFFFFF|#171614)"/>'
    """
    light, dark = draw(False), draw(True)
    pieces = zip_longest(PIECE.findall(light), PIECE.findall(dark), fillvalue="")
    pieces_joined = [_join_piece(*both) for both in pieces]
    if None not in pieces_joined:
        return "".join(piece for piece in pieces_joined if piece is not None)
    return _only(light, ON_LIGHT) + _only(dark, ON_DARK)


def _join_piece(light: str, dark: str) -> str | None:
    """Return a piece of both drawings; None where they have different shapes there."""
    if light == dark:
        return light
    if VALUE.sub("", light) != VALUE.sub("", dark):
        return None
    values = list(zip(VALUE.findall(light), VALUE.findall(dark), strict=True))
    if all(a == b or (COLOUR.fullmatch(a) and COLOUR.fullmatch(b)) for a, b in values):
        pairs = iter(a if a == b else f"light-dark({a}|{b})" for a, b in values)
        return VALUE.sub(lambda _: next(pairs), light)
    is_whole = light.endswith("/>")  # an element without content, such as an image
    return _only(light, ON_LIGHT) + _only(dark, ON_DARK) if is_whole else None


def _only(svg: str, kind: str) -> str:
    """Return the element for one kind of screen."""
    return re.sub(r"^<(\w+)", rf'<\1 class="{kind}"', svg)


def number_colours(body: str) -> tuple[str, str]:
    """Return a document's body with a name for each pair of colours, and the style that gives them their colours.

    >>> number_colours('<g fill="light-dark(#FFFFFF|#171614)"/>')[0]
    '<g fill="var(--c0)"/>'
    """
    pairs = list(dict.fromkeys(PAIR.findall(body)))
    names = {pair: f"--c{k}" for k, pair in enumerate(pairs)}
    light, dark = (_colours(names, side) + SWITCH[side] for side in (0, 1))
    style = f"{light}\n@media screen and (prefers-color-scheme: dark) {{ {dark} }}\n"
    return PAIR.sub(lambda found: f"var({names[found.group(1), found.group(2)]})", body), style


def _colours(names: dict[tuple[str, str], str], side: int) -> str:
    """Return the rule that gives the names their colours on light screens (0) or on dark ones (1)."""
    return f":root {{ {' '.join(f'{name}: {pair[side]};' for pair, name in names.items())} }} " if names else ""
