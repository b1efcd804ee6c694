"""Vocabulary: words for yes and no, for the class of interest, for steps of a scale, and for columns of names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from espalier.data.columns.units import sizes_of

# Pairs (no, yes). Male and female are no such pair: they stay two categories.
YES_NO = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("0", "1"),
    ("off", "on"),
    ("absent", "present"),
    ("nein", "ja"),
    ("nee", "ja"),
    ("nej", "ja"),
    ("non", "oui"),
    ("no", "sí"),
    ("no", "si"),
    ("no", "sì"),
    ("não", "sim"),
    ("nie", "tak"),
    ("нет", "да"),
    ("hayir", "evet"),
    ("いいえ", "はい"),
    ("n", "j"),
    ("falsch", "wahr"),
    ("✗", "✓"),
    ("☐", "☑"),
    ("unchecked", "checked"),
    ("not selected", "selected"),
    ("nicht gewählt", "gewählt"),
    ("faux", "vrai"),
    ("falso", "vero"),
    ("falso", "verdadero"),
    ("neg", "pos"),
    ("negative", "positive"),
    ("negativ", "positiv"),
    ("négatif", "positif"),
)
# From least to most; a slash separates synonyms.
_SCALES = """
very low, low, medium/moderate/mid/middle/normal/average, high, very high
lowest, lower, middle, higher, highest
never/none/not at all, almost never/hardly ever, rarely/seldom/a little/slightly, \
sometimes/occasionally/somewhat/some, often/frequently/quite a bit/quite a lot/a lot/much, \
very often/usually/mostly, almost always/very much, \
always/extremely/completely
strongly disagree/disagree strongly/totally disagree/completely disagree, disagree/mostly disagree, \
rather disagree/somewhat disagree/slightly disagree/tend to disagree, \
neutral/neither/neither agree nor disagree/undecided/neither nor, \
rather agree/somewhat agree/slightly agree/tend to agree, agree/mostly agree, \
strongly agree/agree strongly/totally agree/completely agree
not at all/not, hardly/not very/not so, slightly/a little/a bit, somewhat/moderately/fairly, rather/quite, very, \
extremely/completely/highly
never, less often/yearly/once a year, monthly/once a month, weekly/once a week, daily/every day/once a day
xxs, xs/extra small, s/small, m/medium, l/large, xl/extra large, xxl/xxl, xxxl
tiny, small, medium, large/big, huge
very bad/very poor/terrible, bad/poor, fair/ok/okay/average/acceptable, good, very good/vgood, excellent/ideal
fair, good, very good, premium, ideal
unacc, acc, good, vgood
none, mild/minor/slight, moderate, severe/serious/major, very severe/critical/extreme
cold, cool, mild, warm, hot
slow, medium, fast
short, medium, long
light, medium, heavy
young, middle-aged/middle aged, old
beginner/novice, intermediate, advanced, expert
less than high school, high school/high school graduate, some college, associate's degree, \
bachelor's degree/bachelor/bachelors, master's degree/master/masters, doctorate/phd/doctoral degree
kein abschluss, hauptschule/hauptschulabschluss, realschule/realschulabschluss/mittlere reife, fachabitur, \
abitur/gymnasium, bachelor, master, promotion
very unlikely/extremely unlikely, unlikely, somewhat unlikely, neutral/neither likely nor unlikely, \
somewhat likely, likely, very likely/extremely likely
very dissatisfied/extremely dissatisfied, dissatisfied, somewhat dissatisfied, \
neutral/neither satisfied nor dissatisfied/neither, somewhat satisfied, satisfied, \
very satisfied/extremely satisfied
much worse, worse/somewhat worse, about the same/the same/same/no change, better/somewhat better, much better
neg/negative/negativ, trace/traces/spur/spuren/(+), 1+/+, 2+/++, 3+/+++, 4+/++++
first, second, third, fourth, fifth, sixth
monday/mon, tuesday/tue, wednesday/wed, thursday/thu, friday/fri, saturday/sat, sunday/sun
january/jan, february/feb, march/mar, april/apr, may, june/jun, july/jul, august/aug, september/sep/sept, \
october/oct, november/nov, december/dec
nie/niemals, fast nie, selten, manchmal/gelegentlich/ab und zu/hin und wieder, oft/häufig, sehr oft/sehr häufig, \
meistens, fast immer, immer
nie, seltener/jährlich, monatlich, wöchentlich, täglich
sehr niedrig/sehr gering, niedrig/gering, mittel, hoch, sehr hoch
sehr klein, klein, mittel, groß, sehr groß
stimme überhaupt nicht zu/stimme gar nicht zu, stimme nicht zu, stimme eher nicht zu, \
teils teils/weder noch/neutral/unentschieden, stimme eher zu, stimme zu, \
stimme voll zu/stimme voll und ganz zu/stimme völlig zu
trifft überhaupt nicht zu/trifft gar nicht zu, trifft nicht zu, trifft eher nicht zu, \
teils teils/weder noch/neutral/unentschieden, trifft eher zu, trifft zu, \
trifft voll zu/trifft voll und ganz zu/trifft völlig zu
sehr unzufrieden, unzufrieden, eher unzufrieden, teils teils/weder noch/neutral, eher zufrieden, zufrieden, \
sehr zufrieden
überhaupt nicht/gar nicht, kaum/wenig, etwas/teilweise, mittelmäßig, ziemlich, sehr, außerordentlich/äußerst
ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut
sehr schlecht, schlecht, mittelmäßig/teils teils/mittel, gut, sehr gut, ausgezeichnet
keine/kein, leicht/gering, mäßig/mittel, stark/schwer, sehr stark/sehr schwer
montag/mo, dienstag/di, mittwoch/mi, donnerstag/do, freitag/fr, samstag/sa/sonnabend, sonntag/so
januar/jan/jänner, februar/feb, märz/mär/mrz, april/apr, mai, juni/jun, juli/jul, august/aug, september/sep, \
oktober/okt, november/nov, dezember/dez
jamais, rarement, parfois/quelquefois, souvent, très souvent, toujours
pas du tout d'accord, pas d'accord, plutôt pas d'accord, neutre/ni d'accord ni pas d'accord, plutôt d'accord, \
d'accord, tout à fait d'accord
faible, moyen, élevé/fort
"""
SCALES = [
    {word.strip().casefold(): step for step, words in enumerate(line.split(",")) for word in words.split("/")}
    for line in _SCALES.strip().splitlines()
]
NUMBERED_STEP = re.compile(r"^\s*(-?\d+)\s*[-.:)=]\s*[^\W\d].*$")  # "1 - not at all", "2: a little"
_AMOUNT = r"\d+(?:\.\d+)?"
RANGE = re.compile(
    rf"^\s*(?P<sign>[\[(<>≤≥=]*)\s*(?P<low>{_AMOUNT})\s*(?:(?:-|–|(?i:to)|,)\s*(?P<high>{_AMOUNT}))?\s*"
    r"(?P<end>[\])+]?)\s*(?P<unit>[a-zA-Z]*)\s*$"
)
PERIODS = (
    re.compile(r"^(?P<year>(?:19|20)\d\d)[ \-/]?(?:[QqWwMmHhSsTtKk]|KW|Q)(?P<part>\d{1,2})$"),
    re.compile(r"^(?:[QqWwHhTt]|KW)[ ]?(?P<part>\d{1,2})[ \-/]+(?P<year>(?:19|20)\d\d)$"),
    re.compile(r"^(?P<part>[1-4])\.? (?:Quartal|Halbjahr|quarter),? (?P<year>(?:19|20)\d\d)$"),
    re.compile(r"^(?:FY ?)?(?P<year>(?:19|20)\d\d)[/–-](?P<part>\d\d)$"),  # 2019/20
)
WORDS_OF_RANGES = (  # in small letters, and the signs that mean the same
    (r"^(?:under|below|less than|fewer than|up to|unter|weniger als|bis zu|bis|moins de) ?", "<"),
    (r"^(?:over|above|more than|mehr als|über|plus de) ?", ">"),
    (r"^(?:at least|from|ab|mindestens) ?(.*\d)", r"\1+"),
    (r" ?(?:(?:or|and) (?:more|older|over|above)|(?:und|oder) (?:mehr|älter|darüber)|et plus)$", "+"),
    (r"^(.*\d) ?(?:or (?:less|younger|under|fewer)|and (?:under|below)|(?:und|oder) (?:weniger|jünger))$", r"<\1"),
)
MINUS = "-−–"
GRADE = re.compile(rf"^([A-F]|[1-6])([+{MINUS}]?)$")
BARE = re.compile(r"[\d.,]+|[^\W_]+")  # such as versions, and pairs of numbers that no brackets make a range
IDENTIFIER = re.compile(
    r"(^|[\W_])(id|ids|key|uuid|guid|index|idx|row|row ?name|rowid|nr|no|number|\w*nummer|unnamed)($|[\W_\d])"
)
GROUP = re.compile(
    r"(^|[\W_])(patients?|subjects?|participants?|persons?|people|customers?|clients?|users?|students?|pupils?|schools?|"
    r"classrooms?|hospitals?|clinics?|households?|famil(y|ies)|animals?|plots?|sites?|stations?|machines?|devices?|"
    r"sessions?|patienten?|patientin|schüler(in)?|schule|haushalt|kunden?|kundin|person(en)?|sujet|élève|école|ménage)"
    r"($|[\W_\d])"
)
TARGETS = (
    "target",
    "class",
    "label",
    "y",
    "outcome",
    "response",
    "result",
    "species",
    "diagnosis",
    "survived",
)
# Names of the class of interest, among others that are none of these.
_POSITIVE = """
yes true positive pos +1 malignant sick ill diseased disease infected abnormal pathological patient case died dead
death deceased fraud fraudulent spam phishing attack intrusion malware churn churned default defaulted failure
failed fail fault faulty defect defective alarm recurrence relapse event hit click clicked poisonous bankrupt
positiv krank bösartig verstorben betrug ausfall defekt giftig
positif malin malade décédé fraude positivo maligno enfermo
"""
POSITIVE = frozenset(_POSITIVE.split())
DATES = (
    re.compile(r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d{1,2}:\d{2}.*)?$"),
    re.compile(r"^\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ,]+\d{1,2}:\d{2}.*)?$"),
    re.compile(
        r"^\d{1,2}[ -.]*(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*[ -.,]*\d{2,4}"
        r"([ :,T]+\d{1,2}:\d{2}.*)?$",
        re.IGNORECASE,
    ),
    re.compile(r"^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ .]\d{1,2}, ?\d{4}$", re.IGNORECASE),
    re.compile(r"^\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?$"),
)


def no_yes(values: Sequence[str]) -> tuple[str, str] | None:
    """Return the two values as (no, yes), if they are such a pair.

    >>> no_yes(["Yes", "No"]), no_yes(["yes", "YES", "no"])
    (('No', 'Yes'), None)
    """
    value_of_word = {fold_case(value): value for value in values}
    for no, yes in YES_NO:
        if len(values) == 2 and set(value_of_word) == {no, yes}:
            return value_of_word[no], value_of_word[yes]
    return None


def spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """Return the rarer spellings of yes and no, each with the usual one; none if the values are no such pair.

    `counts` are those of all values.

    >>> spellings({"yes": 40, "YES": 2, "No": 30}), spellings({"yes": 40, "YES": 2, "maybe": 3})
    ({'YES': 'yes'}, {})
    """
    usual: dict[str, str] = {}
    for value in sorted(counts, key=lambda value: (counts[value], value)):
        usual[fold_case(value)] = value  # the most frequent one comes last
    if len(usual) == len(counts) or no_yes(list(usual)) is None:
        return {}
    return {value: usual[fold_case(value)] for value in counts if value != usual[fold_case(value)]}


def fold_case(text: str) -> str:
    """Return the text in small letters, the dotless ones of Turkish with their dots: its capital I is both.

    >>> fold_case("HAYIR") == fold_case("hayır") == fold_case("Hayir")
    True
    """
    return text.casefold().replace("ı", "i")


def positive_among(values: Sequence[str]) -> str | None:
    """Return the value that names the class of interest; None unless exactly one of two or more does.

    >>> positive_among(["benign", "malignant"]), positive_among(["-1", "1"]), positive_among(["ill", "dead"])
    ('malignant', '1', None)
    """
    names = [value for value in values if " ".join(value.casefold().split()) in POSITIVE]
    if set(values) in ({"0", "1"}, {"-1", "1"}):
        names = ["1"]
    return names[0] if len(names) == 1 and len(values) > 1 else None


def steps_in_order(values: list[str]) -> tuple[str, ...] | None:
    """Return the values from least to most, if they are steps of a known scale, numbered, or ranges of numbers."""
    words = [" ".join(value.casefold().replace("/", " ").split()) for value in values]
    for scale, these in itertools.product(SCALES, (words, _without_last(words))):
        steps = [scale.get(word) for word in these]
        places = [step for step in steps if step is not None]
        if len(places) == len(values) == len(set(places)):
            return _by(places, values)
    if order := _grades(values) or _periods(values):
        return order
    matches = [NUMBERED_STEP.match(value) for value in values]
    if all(matches) and len({match[1] for match in matches if match}) == len(values):
        return _by([float(match[1]) for match in matches if match], values)
    return _ranges(values) or _ranges_in_words(values)


def are_dates(values: list[str]) -> bool:
    """Return whether nearly all of the values (19 in 20) are written as dates or times of day."""
    hits = sum(any(pattern.match(value) for pattern in DATES) for value in values)
    return len(values) > 0 and hits >= 0.95 * len(values)


def names_rows(name: str) -> bool:
    """Return whether a column of this name names or numbers the rows."""
    words = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).casefold()
    return IDENTIFIER.search(words) is not None


def names_groups(name: str) -> bool:
    """Return whether a column of this name says which rows are of the same patient, school and so on."""
    words = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).casefold()
    return GROUP.search(words) is not None


def _without_last(words: list[str]) -> list[str]:
    """Return the words without the last one if it is the same in all: "not at all confident", "very confident"."""
    parts = [word.rpartition(" ") for word in words]
    is_same = len({last for _, _, last in parts}) == 1 and all(first for first, _, _ in parts)
    return [first for first, _, _ in parts] if is_same else []


def _grades(values: list[str]) -> tuple[str, ...] | None:
    """Return grades of schools from the worst to the best: letters or 1 to 6, some of them with a minus.

    Without one they may be anything: blood groups have A and B+, counts end in "4+".
    """
    grades = [match for match in map(GRADE.match, values) if match]
    kinds = {match[1].isdigit() for match in grades}
    signs = [(match[2] == "+") - (match[2] in tuple(MINUS)) for match in grades]
    if len(grades) < len(values) or len(kinds) != 1 or -1 not in signs:
        return None
    keys = [sign - 3 * ord(match[1]) for match, sign in zip(grades, signs, strict=True)]
    return _by(keys, values) if len(set(keys)) == len(values) > 2 else None


def _periods(values: list[str]) -> tuple[str, ...] | None:
    """Return quarters, weeks and years of one form in order of time: 2024-W05, 2020q1, 1. Quartal, 2019/20."""
    for pattern in PERIODS:
        matches = [match for match in map(pattern.match, values) if match]
        keys = [(int(match["year"]), int(match["part"])) for match in matches]
        if len(matches) == len(values) == len(set(keys)) > 1:
            return _by(keys, values)
    return None


def _ranges_in_words(values: list[str]) -> tuple[str, ...] | None:
    """Return ranges in words by size: "under 18" < "18-24" < "65 or older", "$500 or more"."""
    signs = [" ".join(value.casefold().split()) for value in values]
    for words, sign in WORDS_OF_RANGES:
        signs = [re.sub(words, sign, text) for text in signs]
    signs = [re.sub(r"(?<=\d),(?=\d{3})|[$€£]", "", text) for text in signs]
    units = {match[0] for text in signs if (match := re.search(r"[^\W\d_]+$", text))}
    plain = [re.sub(r"\s*[^\W\d_]+$", "", text) for text in signs] if len(units) == 1 else signs
    order = (
        _ranges(plain) if len(set(plain)) == len(values) and any(map(re.compile("[<>+]").search, plain)) else None
    )
    places = dict(zip(plain, values, strict=True))
    return None if order is None else tuple(places[text] for text in order)


def _ranges(values: list[str]) -> tuple[str, ...] | None:
    """Return ranges of numbers by their ends, if they are on one scale: none reaches into the next one."""
    ranges = [match for match in map(RANGE.match, values) if match]
    if len(values) < 3 or len(ranges) < len(values) or all(map(BARE.fullmatch, values)):
        return None
    sizes = _sizes([match["unit"] for match in ranges])
    if sizes is None:
        return None
    spans = sorted(map(_span, ranges, sizes))
    for before, after in itertools.pairwise(spans):
        is_nested = before.side == after.side != 0  # ">10" and ">100"
        if before[:2] == after[:2] or not (is_nested or before.high <= after.low):
            return None
    return tuple(span.text for span in spans) if all(span.low <= span.high for span in spans) else None


class _Span(NamedTuple):
    """A range of numbers, and where it stands among others."""

    key: float
    side: int  # -1: all below, "<5" comes before "5-9"; 1: all above, ">60" comes after "60"
    low: float
    high: float
    text: str


def _span(match: re.Match[str], size: float) -> _Span:
    low = size * float(match["low"])
    high = size * float(match["high"]) if match["high"] else low
    signs = match["sign"][:1] + match["end"]
    side = -1 if signs[:1] in ("<", "≤") else int(signs[:1] in (">", "≥", "+"))
    ends = (-inf, high) if side < 0 else (low, inf) if side > 0 else (low, high)
    return _Span(low, side, *ends, match.string)


def _sizes(units: list[str]) -> list[float] | None:
    """Return the sizes of units behind ranges: 1 of one unit, which some may leave out; None for no one scale."""
    if len({unit.casefold().removesuffix("s") for unit in units if unit}) < 2:
        return [1.0] * len(units)
    sizes = sizes_of(units)
    return None if sizes is None else [float(sizes[unit]) for unit in units]


def _by(keys: list, values: list[str]) -> tuple[str, ...]:
    return tuple(value for _, value in sorted(zip(keys, values, strict=True)))
