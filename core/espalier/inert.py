"""Make foreign texts harmless inside our own sentences: the words around them stay unchanged.

Names in a table are anybody's. `inert` is for a name, `legible` for a sentence or a label that has names in it,
and `shortened` for either where there is little room. Texts without control characters and without letters that
are written from right to left stay as they are, byte for byte. `assets/components/shared/lettering.js` is the same
for what the browser puts together.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

OPEN, CLOSE = "\u2068", "\u2069"  # first strong isolate and its end (Unicode Annex 9, section 2.4.3)
SHOWN_AS = "\ufffd"  # replaces a control character
_CONTROLS = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls except white space
    "\u061c\u200e\u200f\u202a-\u202e\u2066\u2067"  # marks, embeddings, overrides and isolates of direction
    "\ufff9-\ufffb\ufeff\ud800-\udfff\U000e0000-\U000e007f"  # annotations, byte order mark, halves of pairs, tags
)
_RIGHT_TO_LEFT = (  # blocks of scripts that are written so, with their points
    "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
)
INVISIBLE = re.compile(f"[{_CONTROLS}]")
RIGHT_TO_LEFT = re.compile(f"[{_RIGHT_TO_LEFT}]")
ISOLATES = re.compile(f"[{OPEN}{CLOSE}]")
SPECIAL = re.compile(f"[{_CONTROLS}{OPEN}{CLOSE}{_RIGHT_TO_LEFT}]")
# From a letter to the last one with nothing between but what belongs to a name; a comma parts two names.
STRETCH = re.compile(f"[{_RIGHT_TO_LEFT}](?:[{_RIGHT_TO_LEFT} .'\"’()\\[\\]/&_-]*[{_RIGHT_TO_LEFT}])?")
BARE_ADDRESS = re.compile(r"https?(?=:)|www(?=\.)|@", re.IGNORECASE)  # where Markdown begins one
UNSEEN = "\u2060"  # word joiner: has no width, and breaks no line
LEAST_ENDS = 12  # letters: fewer have no room for both ends of a name
END = 0.4  # of a shortened text: its end, which is where names of one family differ


def inert(text: str) -> str:
    """Return a name on one line, with every control character replaced by `SHOWN_AS`.

    A name with right-to-left letters is isolated, so that it does not reverse the signs and numbers after it.
    Applying the function twice changes nothing more.

    >>> inert("age\\u202eega")
    'age�ega'
    """
    if text.isascii() and text.isprintable():
        return text
    text = re.sub(r"\s", " ", text)
    if not SPECIAL.search(text):
        return text
    text = INVISIBLE.sub(SHOWN_AS, text)
    pieces = _pieces(text)
    if not pieces:  # an unpaired one would reach beyond the text
        text = ISOLATES.sub(SHOWN_AS, text)
        pieces = [text]
    return f"{OPEN}{text}{CLOSE}" if any(map(RIGHT_TO_LEFT.search, pieces[::2])) else text


def legible(text: str) -> str:
    """Return a sentence that has names in it, in which no name turns around what stands beside it.

    Control characters are replaced, and right-to-left letters that are not isolated yet are; its lines stay.
    Applying the function twice changes nothing more.

    >>> legible("\\u05d0\\u05d1 ≤ −3").encode("ascii", "backslashreplace").decode()
    '\\\\u2068\\\\u05d0\\\\u05d1\\\\u2069 \\\\u2264 \\\\u22123'
    """
    if not SPECIAL.search(text):
        return text
    text = INVISIBLE.sub(SHOWN_AS, text)
    pieces = _pieces(text) or [ISOLATES.sub("", text)]  # what was cut within an isolate is isolated anew
    pieces[::2] = [STRETCH.sub(rf"{OPEN}\g<0>{CLOSE}", piece) for piece in pieces[::2]]
    return "".join(pieces)


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` letters: a longer one without its middle, for names differ at their ends.

    >>> shortened("petal length in the first week", 20)
    'petal lengt…rst week'
    """
    bare = ISOLATES.sub("", text) if ISOLATES.search(text) else text
    if len(bare) <= most:
        return text
    end = int(END * most) if most >= LEAST_ENDS else 0
    return legible(bare[: max(most - 1 - end, 1)].rstrip() + "…" + (bare[-end:].lstrip() if end else ""))


def short_names(names: Sequence[str], most: int) -> list[str]:
    """Return names of at most `most` letters that stand beside each other; those cut alike have a number behind.

    >>> short_names([f"{'a' * 30}{middle}{'z' * 30}" for middle in "xy"], 15)
    ['aaaaaaaaaa… (1)', 'aaaaaaaaaa… (2)']
    """
    short = [shortened(inert(name), most) for name in names]
    times, numbered = Counter(short), Counter()
    for at, text in enumerate(short):
        if times[text] > 1 and len(names[at]) > most:
            numbered[text] += 1
            short[at] = f"{shortened(inert(names[at]), max(most - 4, 1))} ({numbered[text]})"
    return short


def _pieces(text: str) -> list[str]:
    """Return the text in pieces, every second of which is an isolate and all that it encloses.

    There are none if an isolate has no end, or an end no beginning.
    """
    pieces, depth, first = [], 0, 0
    for mark in ISOLATES.finditer(text):
        depth += 1 if mark[0] == OPEN else -1
        if depth < 0:
            return []
        if depth == (1 if mark[0] == OPEN else 0):
            last = mark.start() if depth else mark.end()
            pieces.append(text[first:last])
            first = last
    return [] if depth else [*pieces, text[first:]]


def plain(text: str) -> str:
    """Return a text from the data, to stand in Markdown without meaning anything there.

    Markdown makes links of bare addresses even where their punctuation is escaped, unless a character that nobody
    sees parts them.
    """
    bare = BARE_ADDRESS.sub(rf"\g<0>{UNSEEN}", inert(text))
    return "".join(f"\\{c}" if c in string.punctuation else c for c in bare)
