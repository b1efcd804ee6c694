"""Guess the encoding of a text, decode it, and detect bytes that are not text."""

from __future__ import annotations

import codecs
import functools
import re
from collections.abc import Iterator

from espalier.data.errors import TableError, count, counted, listed, quoted
from espalier.data.formats import letters, lines
from espalier.data.formats.letters import WordsReading
from espalier.data.options import ENCODINGS
from espalier.language import say

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MIXED = "utf-8 + cp1252"  # UTF-8 except for some bytes, which are Windows-1252
CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
NOT_ASCII = re.compile(rb"[\x80-\xff]")
# Between words: signs that are no second byte of a letter in any encoding.
BETWEEN = re.compile(rb"[\x00-\x20\x22\x28\x29\x2c\x2f\x3a\x3b]+")
SAMPLE = 200_000  # bytes of lines with letters that are not ASCII, for a guess
LONGEST = 20_000  # bytes of a line of which a guess takes note
BLOCK = 65_536
CHECKED = 2_000_000  # bytes that a less plausible encoding has to fit
MOST_BYTES = 6_000  # of different words that are ranked
MARGIN = 4.0  # by which a reading is more probable than another that is not asked about, as a logarithm
LIKELY = -8.5  # least mean logarithm for a byte beyond ASCII of what is not asked about


def guess_encoding(source: bytes) -> str:
    """Return the encoding of a text: by byte order mark, by zeros between letters, else by its letters."""
    for bom, encoding in BOMS:
        if source.startswith(bom):
            return encoding
    start = source[:4096]
    if start.count(0) > len(start) // 4:
        even = start[1::2].count(0) >= start[::2].count(0)
        wide = "utf-16-le" if even else "utf-16-be"
        if _decodes(source, wide) and not _is_strange(source[:100_000].decode(wide, "ignore")):
            return wide
    if _decodes(source, "utf-8"):
        return "utf-8"
    fitting = (reading.encoding for reading in _readings(source)[1] if _fits(source, reading.encoding))
    return next(fitting, "latin-1")  # which takes any byte


def decode(source: bytes, encoding: str) -> str:
    """Decode a text; every line ends in a line feed.

    Raises TableError if the bytes do not fit, or are not text.
    """
    try:
        text = source.decode("utf-8", MIXED) if encoding == MIXED else source.decode(encoding)
    except UnicodeDecodeError as wrong:
        raise _does_not_fit(source, encoding, wrong) from wrong
    except (LookupError, UnicodeError) as wrong:
        raise TableError(
            say("The text cannot be read in the encoding {encoding}.", encoding=quoted(encoding)),
            say("It fails at the first character."),
            say(
                "Choose another encoding: {encoding} fits the whole file.", encoding=named(guess_encoding(source))
            ),
        ) from wrong
    text = lines.unified(text)
    _check_is_text(text)
    return text.removeprefix("\ufeff")


def read(source: bytes, encoding: str) -> str:
    """Return a part of a text, with signs of its own where bytes do not fit."""
    return lines.unified(
        source.decode("utf-8", MIXED) if encoding == MIXED else source.decode(encoding, "replace")
    )


def named(encoding: str) -> str:
    """Return the name of an encoding that people know."""
    return say(ENCODINGS[encoding]) if encoding in ENCODINGS else encoding


def note(source: bytes, encoding: str) -> tuple[str, ...]:
    """Return a note for the user on lines in another encoding."""
    if encoding != MIXED:
        return ()
    wrong = [
        i for i, line in enumerate(lines.unified_bytes(source).split(b"\n"), 1) if not _decodes(line, "utf-8")
    ]
    return (
        say(
            "Line {lines} is not written in UTF-8 as the rest of the file is; there the letters that do not fit "
            "are read as Windows-1252 (cp1252). Do they look right?"
            if len(wrong) == 1
            else "Lines {lines} are not written in UTF-8 as the rest of the file is; there the letters that do "
            "not fit are read as Windows-1252 (cp1252). Do they look right?",
            lines=listed([count(line) for line in wrong]),
        ),
    )


def rival(source: bytes, encoding: str) -> str:
    """Return another encoding in which the words beyond ASCII are about as plausible; empty if there is none.

    For the less plausible one of two it is the other.
    """
    if encoding not in letters.CANDIDATES and encoding != MIXED:
        return ""
    words, readings = _readings(source)
    rank = next((i for i, reading in enumerate(readings) if reading.encoding == encoding), len(readings))
    better = [reading for reading in readings[:rank] if _fits(source, reading.encoding)]
    start = source[: source.rfind(b"\n", 0, CHECKED) + 1]
    worse = (reading for reading in readings[rank + 1 :] if _fits(start, reading.encoding))
    if better or rank == len(readings):
        return better[0].encoding if len(better) == 1 and rank < len(readings) else ""
    second = next(worse, None)
    if second is None:
        return ""
    used, n_bytes = readings[rank], sum(byte > 127 for word in words for byte in word)
    is_sure = used.worth - second.worth > MARGIN and used.worth > LIKELY * n_bytes
    return "" if is_sure else second.encoding


def lines_beyond_ascii(source: bytes) -> Iterator[bytes]:
    """Yield the first lines with letters that are not ASCII, 200 kB at most; of a long one a part."""
    place, left = 0, SAMPLE
    while left > 0 and (hit := _first_beyond_ascii(source, place)) >= 0:
        start = max(source.rfind(b"\n", place, hit) + 1, place, hit - LONGEST)
        place = source.find(b"\n", hit, hit + LONGEST)
        place = place if place >= 0 else min(hit + LONGEST, len(source))
        yield source[start:place]
        left -= place - start


def words_beyond_ascii(source: bytes) -> tuple[bytes, ...]:
    """Return the first different words with letters that are not ASCII."""
    words: dict[bytes, None] = {}
    left = MOST_BYTES
    for line in lines_beyond_ascii(source):
        parts = BETWEEN.split(line)
        parts = parts[1:-1] if len(line) > LONGEST and len(parts) > 2 else parts  # whose ends may be cut
        for word in parts:
            if not word.isascii() and word not in words and left > 0:
                words[word] = None
                left -= len(word)
        if left <= 0:
            break
    return tuple(words)


def _first_beyond_ascii(source: bytes, place: int) -> int:
    """Return the place of the first byte beyond ASCII from this place on; -1 if there is none."""
    for start in range(place, len(source), BLOCK):
        block = source[start : start + BLOCK]
        if not block.isascii() and (hit := NOT_ASCII.search(block)):
            return start + hit.start()
    return -1


def _readings(source: bytes) -> tuple[tuple[bytes, ...], tuple[WordsReading, ...]]:
    """Return the words beyond ASCII, and their readings, the most plausible first."""
    words = words_beyond_ascii(source)
    return words, _ranked(words)


@functools.lru_cache(maxsize=2)  # a guess, and the question that it leaves, ask for the same one
def _ranked(words: tuple[bytes, ...]) -> tuple[WordsReading, ...]:
    readings = letters.rank_readings(words)
    if not any(_decodes(word, "utf-8") for word in words):
        return tuple(readings)
    mixed = WordsReading(
        MIXED, sum(map(_mixed_worth, words)), tuple(word.decode("utf-8", MIXED) for word in words)
    )
    return tuple(sorted([mixed, *readings], key=lambda reading: -reading.worth))


def _mixed_worth(word: bytes) -> float:
    """Return how probable a word is in a text of UTF-8 that has some words of Windows-1252."""
    if _decodes(word, "utf-8"):  # which hardly happens by chance
        beyond = [letter for letter in word.decode("utf-8") if not letter.isascii()]
        return sum(letters.SIGN if letters.is_common(letter) else letters.MISPLACED for letter in beyond)
    return letters.worth([word.decode("utf-8", MIXED)], letters.WEST)


def _fits(source: bytes, encoding: str) -> bool:
    return encoding == MIXED or _decodes(source, encoding)


def _as_windows(wrong: UnicodeError) -> tuple[str, int]:
    """Decode bytes that do not fit as Windows-1252 if it defines them, else as Latin-1."""
    assert isinstance(wrong, UnicodeDecodeError)
    part = wrong.object[wrong.start : wrong.end]
    return part.decode("cp1252" if _decodes(part, "cp1252") else "latin-1"), wrong.end


codecs.register_error(MIXED, _as_windows)


def _decodes(source: bytes, encoding: str) -> bool:
    try:
        source.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_strange(text: str) -> bool:
    start = text[:100_000]
    return len(CONTROL.findall(start)) > 0.002 * len(start)


def _check_is_text(text: str) -> None:
    zero = text.find("\0")
    if zero < 0 and not _is_strange(text):
        return
    first = CONTROL.search(text)
    place = zero if zero >= 0 else first.start() if first else 0
    raise TableError(
        say("This is not a table of text: it holds bytes that no text has."),
        say(
            "The first one, a zero byte, stands in line {line}, {characters} after the start."
            if zero >= 0
            else "The first one, a control character, stands in line {line}, {characters} after the start.",
            line=count(lines.number_at(text, place)),
            characters=counted(place, "character"),
        ),
        say(
            "Upload CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz. If it is a text, it is "
            "damaged there, or it needs another encoding."
        ),
    )


def _does_not_fit(source: bytes, encoding: str, wrong: UnicodeDecodeError) -> TableError:
    line = lines.number_at(source[: wrong.start].decode(encoding, "replace"), wrong.start)
    fits = guess_encoding(source)
    todo = say("Choose another encoding: {encoding} fits the whole file.", encoding=named(fits))
    if fits == encoding or fits not in ENCODINGS:
        todo = say("Upload the file again, or save it anew as CSV in UTF-8.")
    return TableError(
        say("The text is not written in the encoding {encoding}.", encoding=named(encoding)),
        say("In line {n} the byte {byte} cannot be read.", n=count(line), byte=f"{source[wrong.start]:#04x}"),
        todo,
    )
