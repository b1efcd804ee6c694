"""Texts of strangers inside our own sentences: whatever they hold, the words around them stay as we wrote them."""

from __future__ import annotations

import re
import unicodedata

OPEN, CLOSE = "\u2068", "\u2069"  # first strong isolate and its end (Unicode Annex 9, section 2.4.3)
SHOWN_AS = "\ufffd"  # what stands for a character that steers instead of being read
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls but those that are white space
    "\u061c\u200e\u200f\u202a-\u202e\u2066\u2067"  # marks, embeddings, overrides and isolates of direction
    "\ufff9-\ufffb\ufeff\ud800-\udfff\U000e0000-\U000e007f]"  # annotations, byte order mark, halves of pairs, tags
)
ISOLATED = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")


def inert(text: str) -> str:
    """The text with every character that steers replaced by `SHOWN_AS`, on one line.

    Text that is written from right to left is set apart, so that it does not turn the words after it round. What
    has been through here once stays as it is.

    >>> inert("age\\u202eega")
    'age�ega'
    """
    text = INVISIBLE.sub(SHOWN_AS, re.sub(r"\s", " ", text))
    bare = ISOLATED.sub("", text)
    if OPEN in bare or CLOSE in bare:  # one without the other would reach beyond the text
        text = bare = re.sub(f"[{OPEN}{CLOSE}]", SHOWN_AS, text)
    return f"{OPEN}{text}{CLOSE}" if any(_is_right_to_left(c) for c in bare) else text


def _is_right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")
