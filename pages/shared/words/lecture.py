"""Texts for a class: its name, and the link by which others open the page."""

from collections.abc import Sequence

HERE = "Open this page"
NO_CODE = "With the package segno on the server, the link stands here as a QR code, too."
NOT_OUTSIDE = (
    "Only this machine can open the link: the server listens to no other. To let others in, start it with "
    "`espalier --lecture` or `--server.address 0.0.0.0`."
)


SHARE = "Share or present"
SHARE_HELP = "The link to the page as it is, also as a QR code, a frame for slides, and the keys of a lecture."
LANGUAGE = "Language"
KEYS = (
    "**P** hides everything but the figures and enlarges the letters; P or Escape brings it back. Meanwhile Page "
    "Up and Page Down turn pages, the arrows step through a film and the space bar plays it, and **L** switches "
    "the light around the pointer. A link with ?present opens so."
)


def only_here(page: str) -> str:
    """In place of a link that no other machine can open: the page with all that is set."""
    return f"Made on a server that only its own machine can open; in your own Espalier the page is {page}"


def frame(figures: Sequence[str]) -> str:
    """Caption of a frame; `figures` are those that it can show alone."""
    alone = " or ".join(f"`&figure={name}`" for name in figures)
    return f"A frame for slides, a course or a notebook{f'; with {alone} it shows one part alone' * bool(alone)}:"


def no_such_figure(asked: str, known: Sequence[str]) -> str:
    """Note in a frame that asks for a figure which the page does not have; Markdown."""
    return f"This page has no figure `{asked}`. Take one of {', '.join(f'`{name}`' for name in known)}."


def code_of(link: str) -> str:
    """The QR code, for those who do not see it."""
    return f"QR code of {link}"
