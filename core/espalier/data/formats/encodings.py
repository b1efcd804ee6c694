"""Guess the encoding of a text, decode it, and detect bytes that are not text."""

from __future__ import annotations

import codecs
import re

from espalier.data.errors import TableError, count, counted, listed, quoted
from espalier.data.formats import lines
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
RIVALS = ("cp1250", "cp1251", "mac_roman", "cp850")  # alternatives to cp1252 that the bytes alone cannot exclude
CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
WORD = re.compile(r"[^\W\d_]*[^\x00-\x7f][^\s,;|\"'.]*")  # from its first letter, if one is not ASCII
USUAL = re.compile("[äöüßéèêëàâáåãæçíîïñóôøúûœÄÖÜÉÅØа-яА-Я]")  # in the most common languages
SAMPLE = 200_000  # bytes examined for an alternative


def guess_encoding(source: bytes) -> str:
    """Return the encoding of a text: by byte order mark, by zeros between letters, else the first that fits."""
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
    if re.search(rb"[\xc3-\xef][\x80-\xbf]", source) and _has_utf8_letters(source):
        return MIXED
    return "cp1252" if _decodes(source, "cp1252") else "latin-1"  # which takes any byte


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
            say("Choose another encoding: {encoding} fits the whole file.", encoding=guess_encoding(source)),
        ) from wrong
    text = lines.unified(text)
    _check_is_text(text)
    return text.removeprefix("\ufeff")


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
    """Return another encoding that decodes the non-ASCII words as plausibly; empty if there is none."""
    if encoding not in ("cp1252", "latin-1"):
        return ""
    start = source[:SAMPLE]
    worth = {other: _plausible(WORD.findall(start.decode(other, "replace"))) for other in (encoding, *RIVALS)}
    best = max(RIVALS, key=worth.__getitem__)
    is_other = start.decode(best, "replace") != start.decode(encoding, "replace")
    return best if is_other and worth[best] >= max(worth[encoding], 0.5) else ""


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


def _has_utf8_letters(source: bytes) -> bool:
    """Return whether a word with non-ASCII letters is valid UTF-8.

    In Windows-1252 that hardly happens by chance.
    """
    words = re.findall(rb"[^\x00-\x40\x5b-\x60\x7b-\x7f]+", source)
    return any(_decodes(word, "utf-8") for word in words if not word.isascii())


def _plausible(words: list[str]) -> float:
    """Return the share of plausible words; those of common letters count double."""
    return sum(_is_word(word) * (1 + _is_usual(word)) for word in words) / max(len(words), 1)


def _is_usual(word: str) -> bool:
    return all(letter.isascii() or USUAL.match(letter) for letter in word)


def _is_word(word: str) -> bool:
    """Return whether all letters are of one script, without capitals inside.

    No three letters of a Latin word in a row may have accents.
    """
    if not word.isalpha() or not (word.isupper() or word[1:] == word[1:].lower()):
        return False
    if len({"\u0370" <= letter < "\u0590" for letter in word}) > 1:
        return False
    return not re.search("[\u0080-\u036f]{3}", word)


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
    todo = say("Choose another encoding: {encoding} fits the whole file.", encoding=fits)
    if fits == encoding or fits not in ENCODINGS:
        todo = say("Upload the file again, or save it anew as CSV in UTF-8.")
    return TableError(
        say("The text is not written in the encoding {encoding}.", encoding=encoding),
        say("In line {n} the byte {byte} cannot be read.", n=count(line), byte=f"{source[wrong.start]:#04x}"),
        todo,
    )
