"""Rank encodings by how well words in them look like words: by letters of many languages, and their neighbours.

Bytes alone do not say their encoding: those of “Gdańsk” in Windows-1250 are “Gdañsk” in Windows-1252. So
`letters.txt` has what is common in each language: pairs of letters with one beyond ASCII (`_` is a word's end), or
whole characters, most common first, as counted in names of countries, languages, months, days, currencies, cities,
people and professions. General detectors want long texts; a table may have three such words in all.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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
SIGN, MISPLACED, NO_TEXT, OTHER_SCRIPT, STRANGE, ODD_CASE = -3.5, -10.0, -14.0, -12.0, -10.0, -4.0
ALL_CAPITALS = -2.5
LEAST = 1e-250  # log of 0 is none


class WordsReading(NamedTuple):
    """Words as one encoding has them, and the logarithm of how probable that is."""

    encoding: str
    worth: float
    words: tuple[str, ...]


class Letters(NamedTuple):
    """What is common in a language: logarithms of the shares of pairs, or of characters."""

    shares: dict[str, float]
    unseen: float  # of a pair that is not listed
    alphabet: frozenset[str]  # its letters that are not ASCII


def rank_readings(words: Sequence[bytes]) -> list[WordsReading]:
    """Return the readings of words with bytes that are not ASCII, the most probable first, each different."""
    readings = [_reading(words, encoding) for encoding in CANDIDATES]
    ranked = sorted((reading for reading in readings if reading), key=lambda reading: -reading.worth)
    different: dict[tuple[str, ...], WordsReading] = {}
    for reading in ranked:
        different.setdefault(reading.words, reading)
    return list(different.values())


def worth(words: Sequence[str], languages: tuple[str, ...], encoding: str = "") -> float:
    """Return the logarithm of how probable these words are in one of the languages, with a few of the others."""
    logs = {language: [_log_share(word, language, encoding) for word in words] for language in languages}
    shares = {language: [math.exp(max(log, -500.0)) for log in of_words] for language, of_words in logs.items()}
    anywhere = [sum(of_word) / len(languages) for of_word in zip(*shares.values(), strict=True)]
    return max(
        sum(math.log(0.85 * here + 0.15 * there + LEAST) for here, there in zip(own, anywhere, strict=True))
        for own in shares.values()
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
    return own in SIGNS or _script(own) == "CJK" or any(own in some.alphabet for some in _letters().values())


@functools.cache
def _letters() -> dict[str, Letters]:
    """Return the letters of each language. A share falls with the rank, as Zipf's law has it."""
    found = {}
    for line in Path(__file__).with_name("letters.txt").read_text("utf-8").splitlines():
        language, listed = line.split(" ", 1)
        size = 1 if OWN_SCRIPT.get(language) == "CJK" else 2
        parts = [listed[i : i + size] for i in range(0, len(listed), size)]
        total = sum(1 / (rank + 8) for rank in range(len(parts)))
        shares = {part: 0.85 / ((rank + 8) * total) for rank, part in enumerate(parts)}
        alphabet = frozenset(letter for letter in listed if not letter.isascii())
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
        found[language] = Letters(logs, math.log(unseen), alphabet)
    return found


def _log_share(word: str, language: str, encoding: str) -> float:
    """Return the logarithm of the share of this word, by its letters that are not ASCII."""
    framed = f"_{''.join(letter.lower() if len(letter.lower()) == 1 else letter for letter in word)}_"
    has_capitals = word.isupper() and len(word) > 1 and OWN_SCRIPT.get(language) in ("Greek", "Cyrillic")
    total = ALL_CAPITALS if has_capitals else 0.0
    for i, letter in enumerate(framed[1:-1], 1):
        if letter.isascii():
            continue
        if not _is_letter(letter):
            total += _sign(framed, i)
        elif OWN_SCRIPT.get(language) == "CJK":
            total += _character(letter, framed[i - 1], framed[i + 1], language, encoding)
        else:
            total += _letter(framed, i, language) + _case(word, i - 1)
    return total


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LM" and sign not in "ªº"


def _beside(sign: str) -> str:
    """Return the neighbour of a letter: the end of a word in place of a sign or a digit."""
    return sign if _is_letter(sign) else "_"


def _letter(framed: str, i: int, language: str) -> float:
    letter, letters = framed[i], _letters()[language]
    if _script(letter) != OWN_SCRIPT.get(language, "Latin"):
        return OTHER_SCRIPT
    if letter not in letters.alphabet:
        return STRANGE
    before, after = _beside(framed[i - 1]), _beside(framed[i + 1])
    left = letters.shares.get(before + letter, letters.unseen)
    if language in OWN_SCRIPT:
        return left + sum(ODD_CASE for sign in (before, after) if sign != "_" and sign.isascii())
    return (left + letters.shares.get(letter + after, letters.unseen)) / 2


def _case(word: str, i: int) -> float:
    """Return what a capital costs inside of a word that is not all capitals."""
    letter, before, after = word[i], word[i - 1 : i], word[i + 1 : i + 2]
    is_inside = letter.isupper() and (before.islower() or (before.isupper() and after.islower()))
    is_torn = letter.islower() and before.isupper() and word[i - 2 : i - 1].isalpha() and i > 1
    return ODD_CASE if is_inside or is_torn else 0.0


def _character(letter: str, before: str, after: str, language: str, encoding: str) -> float:
    """Return the share of an East Asian character; Latin letters hardly touch one."""
    beside = -3.0 * sum(sign.isalpha() and sign.isascii() for sign in (before, after))
    share = _letters()[language].shares.get(letter)
    if share is None:
        share = _rare(letter, encoding) if _script(letter) == "CJK" else OTHER_SCRIPT
    return share + beside


def _rare(letter: str, encoding: str) -> float:
    if "\uff61" <= letter <= "\uff9f":  # kana of half width
        return -8.0
    standard, common, *shares = PLANES[encoding]
    try:
        encoded = letter.encode(standard)
    except UnicodeEncodeError:
        n, share = shares[2]
    else:
        n, share = shares[0] if len(encoded) == 2 and encoded[0] in common else shares[1]
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
        return SIGN if ELISION.fullmatch(framed[1:-1]) else MISPLACED
    if sign == "\xa0":
        return MISPLACED if follows else SIGN
    is_placed = not (follows or precedes) or (follows and precedes and sign in JOINING)
    is_placed |= (sign in OPENING and not follows) or (sign in CLOSING and not precedes)
    return SIGN if sign in SIGNS and is_placed else MISPLACED


def _is_inside(neighbour: str) -> bool:
    return neighbour != "_" and neighbour.isalpha()


def _script(letter: str) -> str:
    code = ord(letter)
    if code < 0x300 or 0x1E00 <= code < 0x1F00:
        return "Latin"
    return next((name for name, (first, last, _) in SCRIPTS.items() if first <= code <= last), "")
