"""Documents of one file: HTML that opens without a network and that needs no script to be read."""

from __future__ import annotations

import html

from espalier.inert import legible
from espalier.language import spoken


def document(title: str, style: str, body: str) -> str:
    """Return the HTML of a page; `body` is HTML, the title is text.

    >>> document("Trees", "p { color: red; }", "<p>A tree.</p>")[:27]
    '<!DOCTYPE html><html lang="'
    """
    about = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head = f"<head>{about}<title>{escape(title)}</title><style>{style}</style></head>"
    return f'<!DOCTYPE html><html lang="{spoken()}">{head}<body>{body}</body></html>'


def escape(text: str) -> str:
    """Return the text escaped for HTML.

    >>> escape("a < b")
    'a &lt; b'
    """
    return html.escape(legible(text))
