"""Pictures of a report in the colours of the screen: each is drawn for light and for dark, and written once.

Where the two drawings differ in a colour, the picture names the pair, and the style of the document says which
of the two it is: the light one on paper and on light screens, the other on dark ones. So a report needs no script
for it, and hardly more room.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest

COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}|rgba?\([^)]*\)")
PIECE = re.compile(r"<[^>]*>|[^<]+")  # of SVG: an element's beginning or end, or text
VALUE = re.compile(r'(?<==")[^"]*(?=")')  # of an attribute
PAIR = re.compile(r'(?<=")light-dark\(([^|"]*)\|([^|"]*)\)(?=")')
ON_LIGHT, ON_DARK = "on-light", "on-dark"  # classes of what is drawn for one kind of screen alone
SWITCH = (
    f".{ON_DARK} {{ display: none; }}",
    f".{ON_DARK} {{ display: inline; }} .{ON_LIGHT} {{ display: none; }}",
)


def on_any_screen(draw: Callable[[bool], str]) -> str:
    """Return the SVG that `draw` gives for light (False) and for dark (True), as one with pairs of colours.

    `numbered` makes a document of such pictures.

    >>> from espalier.display import ink, svg
    >>> on_any_screen(lambda dark: svg.element("g", fill=ink.PAPER[ink.theme_of(dark)]))
    '<g fill="light-dark(#FFFFFF|#171614)"/>'
    """
    light, dark = draw(False), draw(True)
    pieces = zip_longest(PIECE.findall(light), PIECE.findall(dark), fillvalue="")
    joined = [_joined(*both) for both in pieces]
    if None not in joined:
        return "".join(one for one in joined if one is not None)
    return _only(light, ON_LIGHT) + _only(dark, ON_DARK)


def _joined(light: str, dark: str) -> str | None:
    """Return a piece of both drawings; None where they have different shapes there."""
    if light == dark:
        return light
    if VALUE.sub("", light) != VALUE.sub("", dark):
        return None
    values = list(zip(VALUE.findall(light), VALUE.findall(dark), strict=True))
    if all(a == b or (COLOUR.fullmatch(a) and COLOUR.fullmatch(b)) for a, b in values):
        paired = iter(a if a == b else f"light-dark({a}|{b})" for a, b in values)
        return VALUE.sub(lambda _: next(paired), light)
    is_whole = light.endswith("/>")  # an element without content, such as an image
    return _only(light, ON_LIGHT) + _only(dark, ON_DARK) if is_whole else None


def _only(svg: str, kind: str) -> str:
    """Return the element for one kind of screen."""
    return re.sub(r"^<(\w+)", rf'<\1 class="{kind}"', svg)


def numbered(body: str) -> tuple[str, str]:
    """Return a document's body with a name for each pair of colours, and the style that gives them their colours.

    >>> numbered('<g fill="light-dark(#FFFFFF|#171614)"/>')[0]
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
