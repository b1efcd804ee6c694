"""Make foreign texts harmless inside our own sentences: the words around them stay unchanged."""

from __future__ import annotations

import re
import unicodedata

OPEN, CLOSE = "\u2068", "\u2069"  # first strong isolate and its end (Unicode Annex 9, section 2.4.3)
SHOWN_AS = "\ufffd"  # replaces a control character
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls except white space
    "\u061c\u200e\u200f\u202a-\u202e\u2066\u2067"  # marks, embeddings, overrides and isolates of direction
    "\ufff9-\ufffb\ufeff\ud800-\udfff\U000e0000-\U000e007f]"  # annotations, byte order mark, halves of pairs, tags
)
ISOLATED = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")


def inert(text: str) -> str:
    """Return the text on one line, with every control character replaced by `SHOWN_AS`.

    Right-to-left text is isolated, so that it does not reverse the words after it. Applying the function twice
    changes nothing more.

    >>> inert("age\\u202eega")
    'age�ega'
    """
    text = INVISIBLE.sub(SHOWN_AS, re.sub(r"\s", " ", text))
    bare = ISOLATED.sub("", text)
    if OPEN in bare or CLOSE in bare:  # an unpaired one would reach beyond the text
        text = bare = re.sub(f"[{OPEN}{CLOSE}]", SHOWN_AS, text)
    return f"{OPEN}{text}{CLOSE}" if any(_is_right_to_left(c) for c in bare) else text


def _is_right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")
