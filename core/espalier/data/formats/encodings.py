"""Guess the encoding of a text by its letters, decode it, and detect bytes that are not text."""

from __future__ import annotations

import codecs
import functools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import AnyStr, NamedTuple

from espalier.data.errors import TableError, count, counted, listed, quoted
from espalier.data.options import ENCODINGS
from espalier.language import say

WEST = ("de", "fr", "es", "pt", "it", "nl", "sv", "da", "nb", "fi", "is", "ca")
CENTRAL = ("pl", "cs", "sk", "hu", "ro", "hr", "sl", "de")
# By encoding, those of equal readings in order of preference: its languages, and how rare it is (log of a share).
CANDIDATES: dict[str, tuple[tuple[str, ...], float]] = {
    "cp1252": (WEST, 0.0),
    "latin-1": (WEST, -3.0),  # where Windows-1252 has no letter for a byte
    "cp1250": (CENTRAL, -3.0),
    "iso8859_2": (CENTRAL, -3.5),
    "cp1251": (("ru", "uk", "bg"), -3.0),
    "koi8_r": (("ru",), -3.5),
    "cp1253": (("el",), -3.0),
    "cp1254": (("tr", "de", "fr"), -3.0),
    "cp1255": (("he",), -3.0),
    "cp1256": (("ar", "fa"), -3.0),
    "cp1257": (("lt", "lv", "et", "pl"), -4.5),
    "cp874": (("th",), -3.0),
    "gb18030": (("zh",), -3.0),  # and GBK, which it contains
    "big5": (("zh-tw",), -3.0),
    "cp932": (("ja",), -3.0),  # Shift-JIS with the letters of Windows
    "euc_jp": (("ja",), -3.5),
    "cp949": (("ko",), -3.0),  # EUC-KR with more syllables
    "mac_roman": (WEST, -6.0),
    "cp850": (WEST, -6.0),
    "cp852": (CENTRAL, -6.0),
    "cp866": (("ru", "bg"), -4.5),
}
SCRIPTS = {  # first letters and last of each script, and its languages; others are Latin
    "Greek": (0x370, 0x3FF, ("el",)),
    "Cyrillic": (0x400, 0x52F, ("ru", "uk", "bg")),
    "Hebrew": (0x590, 0x5FF, ("he",)),
    "Arabic": (0x600, 0x6FF, ("ar", "fa")),
    "Thai": (0xE00, 0xE7F, ("th",)),
    "CJK": (0x2E80, 0xFFEF, ("zh", "zh-tw", "ja", "ko")),
}
OWN_SCRIPT = {language: name for name, (_, _, languages) in SCRIPTS.items() for language in languages}
# Of characters that are not listed, by the set that counts them: first bytes of common ones, how many they are,
# and their share; the others of the set, and theirs; all that an extension of it adds.
PLANES = {
    "gb18030": ("gb2312", range(0xB0, 0xD8), (3500, 0.15), (3000, 0.01), (20_000, 0.002)),
    "big5": ("big5", range(0xA4, 0xC7), (5000, 0.15), (7000, 0.01), (20_000, 0.002)),
    "cp932": ("euc_jp", range(0xB0, 0xD0), (2900, 0.15), (3400, 0.01), (5000, 0.001)),
    "euc_jp": ("euc_jp", range(0xB0, 0xD0), (2900, 0.15), (3400, 0.01), (5000, 0.001)),
    "cp949": ("euc_kr", range(0xB0, 0xC9), (2300, 0.12), (4800, 0.01), (8000, 0.001)),
}
OPENING, CLOSING, JOINING = "“«¿¡„‘‹µ", "”»’…›²³°®™ªº%‰、。・ー", "·・ー"
SIGNS = OPENING + CLOSING + JOINING + "–—§½¼¾×©•№¥£€±÷「」『』（）：，；！？～《》【】％　"
ELISION = re.compile(r"(?i)(\w{0,4}ll|[cdjlmnosqt]u?|un)’\w.*|.*\w’(s|t|d|m|re|ll|ve|n)")
# Logarithms of shares: of a sign in its place, of one that stands where none does, of one that no text has.
SIGN, MISPLACED_LETTER, NO_TEXT, OTHER_SCRIPT, STRANGE, ODD_CASE = -3.5, -10.0, -14.0, -12.0, -10.0, -4.0
ALL_CAPITALS = -2.5
LEAST = 1e-250  # log of 0 is none


# Bytes alone do not say their encoding: those of “Gdańsk” in Windows-1250 are “Gdañsk” in Windows-1252. So
# `letters.txt` has what is common in each language: pairs of letters with one beyond ASCII (`_` is a word's end),
# or whole characters, most common first, as counted in names of countries, languages, months, days, currencies,
# cities, people and professions. General detectors want long texts; a table may have three such words in all.
class WordsReading(NamedTuple):
    """Words as one encoding has them, and the logarithm of how probable that is."""

    encoding: str
    worth: float
    words: tuple[str, ...]


def rank_readings(words: Sequence[bytes]) -> list[WordsReading]:
    """Return the readings of words with bytes that are not ASCII, the most probable first, each different."""
    readings = filter(None, (_reading(words, encoding) for encoding in CANDIDATES))
    different: dict[tuple[str, ...], WordsReading] = {}
    for reading in sorted(readings, key=lambda reading: -reading.worth):
        different.setdefault(reading.words, reading)
    return list(different.values())


def worth(words: Sequence[str], languages: tuple[str, ...], encoding: str = "") -> float:
    """Return the logarithm of how probable these words are in one of the languages, with a few of the others."""
    shares = [
        [math.exp(max(_log_share(word, language, encoding), -500.0)) for word in words] for language in languages
    ]
    anywhere = [sum(each) / len(languages) for each in zip(*shares, strict=True)]
    return max(
        sum(math.log(0.85 * here + 0.15 * there + LEAST) for here, there in zip(own, anywhere, strict=True))
        for own in shares
    )


def _reading(words: Sequence[bytes], encoding: str) -> WordsReading | None:
    languages, rarity = CANDIDATES[encoding]
    try:
        texts = tuple(word.decode(encoding) for word in words)
    except UnicodeDecodeError:
        return None
    return WordsReading(encoding, worth(texts, languages, encoding) + rarity, texts)


def is_common(letter: str) -> bool:
    """Return whether a letter or a sign is one of some language here."""
    own = letter.lower()
    return own in SIGNS or _script(own) == "CJK" or any(own in alphabet for _, _, alphabet in _letters().values())


@functools.cache
def _letters() -> dict[str, tuple[dict[str, float], float, frozenset[str]]]:
    """Return what is common in each language: the logarithms of the shares of pairs, or of characters.

    A share falls with the rank, as Zipf's law has it. After them come the logarithm of a pair that is not listed,
    and the language's letters that are not ASCII.
    """
    letters = {}
    for line in Path(__file__).with_name("letters.txt").read_text("utf-8").splitlines():
        language, words = line.split(" ", 1)
        size = 1 if OWN_SCRIPT.get(language) == "CJK" else 2
        parts = [words[i : i + size] for i in range(0, len(words), size)]
        total = sum(1 / (rank + 8) for rank in range(len(parts)))
        shares = {part: 0.85 / ((rank + 8) * total) for rank, part in enumerate(parts)}
        alphabet = frozenset(letter for letter in words if not letter.isascii())
        unseen = 0.15 / 400
        if (
            language in OWN_SCRIPT and size == 2
        ):  # all letters count, so that each is expected after the one before
            before: dict[str, float] = {}
            for pair, share in shares.items():
                before[pair[0]] = before.get(pair[0], 0.0) + share
            shares = {pair: 0.9 * share / before[pair[0]] for pair, share in shares.items()}
            unseen = 0.1 / len(alphabet)
        logs = {part: math.log(share) for part, share in shares.items()}
        letters[language] = logs, math.log(unseen), alphabet
    return letters


def _log_share(word: str, language: str, encoding: str) -> float:
    """Return the logarithm of the share of this word, by its letters that are not ASCII."""
    frame = f"_{''.join(letter.lower() if len(letter.lower()) == 1 else letter for letter in word)}_"
    has_capitals = word.isupper() and len(word) > 1 and OWN_SCRIPT.get(language) in ("Greek", "Cyrillic")
    total = ALL_CAPITALS if has_capitals else 0.0
    for i, letter in enumerate(frame[1:-1], 1):
        if letter.isascii():
            continue
        if not _is_letter(letter):
            total += _sign(frame, i)
        elif OWN_SCRIPT.get(language) == "CJK":
            total += _character(letter, frame[i - 1], frame[i + 1], language, encoding)
        else:
            total += _letter(frame, i, language) + _case(word, i - 1)
    return total


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LM" and sign not in "ªº"


def _beside(sign: str) -> str:
    """Return the neighbour of a letter: the end of a word in place of a sign or a digit."""
    return sign if _is_letter(sign) else "_"


def _letter(framed: str, i: int, language: str) -> float:
    letter, (shares, rare, alphabet) = framed[i], _letters()[language]
    if _script(letter) != OWN_SCRIPT.get(language, "Latin"):
        return OTHER_SCRIPT
    if letter not in alphabet:
        return STRANGE
    before, after = _beside(framed[i - 1]), _beside(framed[i + 1])
    left = shares.get(before + letter, rare)
    if language in OWN_SCRIPT:
        return left + sum(ODD_CASE for sign in (before, after) if sign != "_" and sign.isascii())
    return (left + shares.get(letter + after, rare)) / 2


def _case(word: str, i: int) -> float:
    """Return what a capital costs inside of a word that is not all capitals."""
    letter, before, after = word[i], word[i - 1 : i], word[i + 1 : i + 2]
    is_inside = letter.isupper() and (before.islower() or (before.isupper() and after.islower()))
    is_torn = letter.islower() and before.isupper() and word[i - 2 : i - 1].isalpha() and i > 1
    return ODD_CASE if is_inside or is_torn else 0.0


def _character(letter: str, before: str, after: str, language: str, encoding: str) -> float:
    """Return the share of an East Asian character; Latin letters hardly touch one."""
    beside = -3.0 * sum(sign.isalpha() and sign.isascii() for sign in (before, after))
    share = _letters()[language][0].get(letter)
    if share is None:
        share = _rare(letter, encoding) if _script(letter) == "CJK" else OTHER_SCRIPT
    return share + beside


def _rare(letter: str, encoding: str) -> float:
    if "\uff61" <= letter <= "\uff9f":  # kana of half width
        return -8.0
    standard, common, *shares = PLANES[encoding]
    try:
        code = letter.encode(standard)
    except UnicodeEncodeError:
        n, share = shares[2]
    else:
        n, share = shares[0] if len(code) == 2 and code[0] in common else shares[1]
    return math.log(share / n)


def _sign(framed: str, i: int) -> float:
    """Return the share of a sign in its place."""
    before, sign, after = framed[i - 1 : i + 2]
    if unicodedata.category(sign) in ("Cc", "Co", "Cn"):
        return NO_TEXT
    follows, precedes = _is_inside(before), _is_inside(after)
    if sign in "²³" and before in "m0123456789" and not precedes:
        return -2.5
    if sign == "’" and follows and precedes:
        return SIGN if ELISION.fullmatch(framed[1:-1]) else MISPLACED_LETTER
    if sign == "\xa0":
        return MISPLACED_LETTER if follows else SIGN
    is_placed = not (follows or precedes) or (follows and precedes and sign in JOINING)
    is_placed |= (sign in OPENING and not follows) or (sign in CLOSING and not precedes)
    return SIGN if sign in SIGNS and is_placed else MISPLACED_LETTER


def _is_inside(neighbour: str) -> bool:
    return neighbour != "_" and neighbour.isalpha()


def _script(letter: str) -> str:
    code = ord(letter)
    if code < 0x300 or 0x1E00 <= code < 0x1F00:
        return "Latin"
    return next((name for name, (first, last, _) in SCRIPTS.items() if first <= code <= last), "")


# ---- lines of a text


# Breaks other than CR and LF (U+2028, U+0085, vertical tabs, form feeds) count as ordinary characters.
def unify_lines(text: AnyStr) -> AnyStr:
    """Return the text, or bytes of an encoding that keeps ASCII, with a line feed at the end of every line."""
    if isinstance(text, bytes):
        return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def number_lines(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield number (from 1), text, and end of every line of a unified text; the last needs no line feed."""
    start = number = 0
    while start < len(text):
        number += 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield number, text[start:end], end
        start = end + 1


def number_at(text: str, place: int) -> int:
    """Return the number of the line with the character at this place."""
    return unify_lines(text[:place]).count("\n") + 1


def without_first(text: str, n_lines: int) -> str:
    """Return the text after the first lines of a unified text."""
    place = 0
    for _ in range(n_lines):
        place = text.find("\n", place) + 1
        if not place:
            return ""
    return text[place:]


# ---- the encoding

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MIXTURE = "utf-8 + cp1252"  # UTF-8 except for some bytes, which are Windows-1252
CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
NOT_ASCII = re.compile(rb"[\x80-\xff]")
# Between words: signs that are no second byte of a letter in any encoding.
BETWEEN = re.compile(rb"[\x00-\x20\x22\x28\x29\x2c\x2f\x3a\x3b]+")
SAMPLE = 200_000  # bytes of lines with letters that are not ASCII, for a guess
LONGEST = 20_000  # bytes of a line of which a guess takes note
BLOCK = 65_536
BYTES_TO_CHECK = 2_000_000  # bytes that a less plausible encoding has to fit
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
        if _fits(source, wide) and not _is_strange(source[:100_000].decode(wide, "ignore")):
            return wide
    if _fits(source, "utf-8"):
        return "utf-8"
    readings = _rank_words(words_beyond_ascii(source))
    fitting = (reading.encoding for reading in readings if _fits(source, reading.encoding))
    return next(fitting, "latin-1")  # which takes any byte


def decode(source: bytes, encoding: str) -> str:
    """Decode a text; every line ends in a line feed.

    Raises TableError if the bytes do not fit, or are not text.
    """
    try:
        text = source.decode("utf-8", MIXTURE) if encoding == MIXTURE else source.decode(encoding)
    except UnicodeDecodeError as wrong:
        raise _does_not_fit(source, encoding, wrong) from wrong
    except (LookupError, UnicodeError) as wrong:
        raise TableError(
            say("The text cannot be read as {encoding}.", encoding=quoted(encoding)),
            say("It fails at the first character."),
            say(
                "Choose another encoding: {encoding} fits.",
                encoding=encoding_name(guess_encoding(source)),
            ),
        ) from wrong
    text = unify_lines(text)
    _check_is_text(text)
    return text.removeprefix("\ufeff")


def read(source: bytes, encoding: str) -> str:
    """Return a part of a text, with signs of its own where bytes do not fit."""
    return unify_lines(
        source.decode("utf-8", MIXTURE) if encoding == MIXTURE else source.decode(encoding, "replace")
    )


def encoding_name(encoding: str) -> str:
    """Return the name of an encoding that people know."""
    return say(ENCODINGS[encoding]) if encoding in ENCODINGS else encoding


def note(source: bytes, encoding: str) -> tuple[str, ...]:
    """Return a note for the user on lines in another encoding."""
    if encoding != MIXTURE:
        return ()
    wrong = [i for i, line in enumerate(unify_lines(source).split(b"\n"), 1) if not _fits(line, "utf-8")]
    return (
        say(
            "Read as Windows-1252, not UTF-8: line {lines}. Does it look right?",
            lines=listed([count(line) for line in wrong]),
        ),
    )


def rival(source: bytes, encoding: str) -> str:
    """Return another encoding in which the words beyond ASCII are about as plausible; empty if there is none.

    For the less plausible one of two it is the other.
    """
    if encoding not in CANDIDATES and encoding != MIXTURE:
        return ""
    words = words_beyond_ascii(source)
    readings = _rank_words(words)
    rank = next((i for i, reading in enumerate(readings) if reading.encoding == encoding), len(readings))
    better = [reading for reading in readings[:rank] if _fits(source, reading.encoding)]
    start = source[: source.rfind(b"\n", 0, BYTES_TO_CHECK) + 1]
    worse = (reading for reading in readings[rank + 1 :] if _fits(start, reading.encoding))
    if better or rank == len(readings):
        return better[0].encoding if len(better) == 1 and rank < len(readings) else ""
    second = next(worse, None)
    if second is None:
        return ""
    current, n_bytes = readings[rank], sum(byte > 127 for word in words for byte in word)
    is_sure = current.worth - second.worth > MARGIN and current.worth > LIKELY * n_bytes
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


@functools.lru_cache(maxsize=2)  # a guess, and the question that it leaves, ask for the same one
def _rank_words(words: tuple[bytes, ...]) -> tuple[WordsReading, ...]:
    readings = rank_readings(words)
    if not any(_fits(word, "utf-8") for word in words):
        return tuple(readings)
    total, texts = 0.0, tuple(word.decode("utf-8", MIXTURE) for word in words)
    for word, text in zip(words, texts, strict=True):
        if _fits(word, "utf-8"):  # which hardly happens by chance
            total += sum(
                SIGN if is_common(letter) else MISPLACED_LETTER for letter in text if not letter.isascii()
            )
        else:
            total += worth([text], WEST)
    mixture = WordsReading(MIXTURE, total, texts)
    return tuple(sorted([mixture, *readings], key=lambda reading: -reading.worth))


def _fits(source: bytes, encoding: str) -> bool:
    if encoding == MIXTURE:
        return True
    try:
        source.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _as_windows(wrong: UnicodeError) -> tuple[str, int]:
    """Decode bytes that do not fit as Windows-1252 if it defines them, else as Latin-1."""
    assert isinstance(wrong, UnicodeDecodeError)
    part = wrong.object[wrong.start : wrong.end]
    return part.decode("cp1252" if _fits(part, "cp1252") else "latin-1"), wrong.end


codecs.register_error(MIXTURE, _as_windows)


def _is_strange(text: str) -> bool:
    return len(CONTROL.findall(text, 0, 100_000)) > 0.002 * min(len(text), 100_000)


def _check_is_text(text: str) -> None:
    zero = text.find("\0")
    if zero < 0 and not _is_strange(text):
        return
    first = CONTROL.search(text)
    place = zero if zero >= 0 else first.start() if first else 0
    raise TableError(
        say("This is no text."),
        say(
            "Line {line} has a zero byte, {characters} after its start."
            if zero >= 0
            else "Line {line} has a control character, {characters} after its start.",
            line=count(number_at(text, place)),
            characters=counted(place, "character"),
        ),
        say("Upload CSV, Excel, Parquet, ARFF or JSON lines, or choose another encoding."),
    )


def _does_not_fit(source: bytes, encoding: str, wrong: UnicodeDecodeError) -> TableError:
    line = number_at(source[: wrong.start].decode(encoding, "replace"), wrong.start)
    fits = guess_encoding(source)
    has_other = fits != encoding and fits in ENCODINGS
    return TableError(
        say("The text is not in {encoding}.", encoding=encoding_name(encoding)),
        say("In line {n} the byte {byte} cannot be read.", n=count(line), byte=f"{source[wrong.start]:#04x}"),
        say("Choose another encoding: {encoding} fits.", encoding=encoding_name(fits))
        if has_other
        else say("Save it as CSV in UTF-8."),
    )
