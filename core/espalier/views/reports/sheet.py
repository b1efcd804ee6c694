"""A report of sections, as an HTML document of its own: to read, to print and to keep beside a decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from espalier.views.paper import document, escape

STYLE = """
@page { size: A4; margin: 16mm 15mm; }
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 900px; margin: 2rem auto;
       padding: 0 1rem; color: #222; background: #fff; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; break-after: avoid; }
figure { margin: 1rem 0; overflow-x: auto; break-inside: avoid; }
svg { width: 100%; min-width: 34rem; height: auto; }
figcaption, footer, caption { color: #555; font-size: .85rem; text-align: left; }
.wide { overflow-x: auto; margin: .5rem 0 1rem; } table { border-collapse: collapse; font-size: .9rem; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; }
tr { break-inside: avoid; }
pre { background: #f5f5f3; padding: .8rem; font-size: .8rem; white-space: pre-wrap; }
footer { margin-top: 2rem; border-top: 1px solid #ddd; padding-top: .5rem; }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; } }
"""


class Prose(NamedTuple):
    """A paragraph."""

    text: str


class Listed(NamedTuple):
    """Items, each a sentence."""

    items: Sequence[str]


class Grid(NamedTuple):
    """A table: the heads of its columns, and rows of texts, of which the first names the row."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


class Drawing(NamedTuple):
    """A picture in SVG, with words for those who do not see it."""

    svg: str
    alt: str


class Verbatim(NamedTuple):
    """Text as it is written, such as code."""

    text: str


Part = Prose | Listed | Grid | Drawing | Verbatim


class ReportSection(NamedTuple):
    """A heading with what stands below it."""

    heading: str
    parts: Sequence[Part]


class Report(NamedTuple):
    """A title, sections, and the small print at the end."""

    title: str
    lead: Sequence[str]  # paragraphs below the title
    sections: Sequence[ReportSection]
    foot: Sequence[str]


def to_html(report: Report) -> str:
    """Return the report as an HTML document.

    >>> one = Report("Trees", ("All of them.",), (ReportSection("One", (Grid(("a", "b"), (("x", "1"),)),)),), ())
    >>> "<h2>One</h2>" in to_html(one)
    True
    """
    sections = "".join(
        f"<section><h2>{escape(one.heading)}</h2>{''.join(map(_part, one.parts))}</section>"
        for one in report.sections
    )
    body = f"<main><h1>{escape(report.title)}</h1>{_paragraphs(report.lead)}{sections}</main>"
    return document(report.title, STYLE, f"{body}<footer>{_paragraphs(report.foot)}</footer>")


def _part(part: Part) -> str:
    match part:
        case Prose(text):
            return _paragraphs((text,))
        case Listed(items):
            return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
        case Grid():
            return _grid(part)
        case Drawing(svg, alt):
            return f'<figure role="img" aria-label="{escape(alt)}">{svg}</figure>'
        case Verbatim(text):
            lines = "\n".join(escape(line) for line in text.splitlines())
            return f'<pre tabindex="0">{lines}</pre>'


def _grid(grid: Grid) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in grid.heads)
    rows = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for first, *cells in grid.rows
    )
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts if text)
