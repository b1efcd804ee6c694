"""The texts of a date or a time of day in SQLite, which has no patterns: cells are split, pieces are checked."""

from __future__ import annotations

from collections.abc import Callable

from espalier.data.columns.dates import SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAYS
from espalier.data.moments import CLOCK, Moment

Names = Callable[[str], str]
ZONES = (
    "[-+][0-9][0-9]:[0-9][0-9]",
    "[-+][0-9][0-9][0-9][0-9]",
    "[-+][0-9][0-9]",
    "[-+][0-9]:[0-9][0-9]",
    "[-+][0-9]",
)
SHORT = ", ".join(f"'{name}'" for name in dict.fromkeys(SHORT_MONTHS.split()))


def sqlite_fields(x: str, moment: Moment, at: Names) -> list[dict[str, str]]:
    """Return the steps from a cell's text to its year, month, day, hour, minute, second, half and zone."""
    whole = [{at("whole"): _whole(x)}] if moment.part == CLOCK else []
    x = at("whole") if whole else x
    return [
        *whole,
        {at("plain"): _plain(x, moment)},
        {at("zone"): _zone(at("plain"), moment)},
        {at("bare"): _bare(at("plain"), at("zone"))},
        {at("half"): _half(at("bare"))},
        {at("spoken"): f"CASE WHEN {at('half')} IS NULL THEN {at('bare')} ELSE RTRIM({at('bare')}, ' apm.') END"},
        {at("clock"): _clock(at("spoken"))},
        {at("calendar"): _calendar(at("spoken"), at("clock"))},
        {at("pieces"): _pieces(at("calendar"), "-"), at("hands"): _pieces(at("clock"), ":")},
        *_pieces_in_order(moment, at),
    ]


def _whole(x: str) -> str:
    """Return a time of day with a colon: "7:00am" for "7 am", "19:00" for "19 uhr", "7:30" for "7h30"."""
    plain = f"REPLACE(REPLACE(REPLACE(REPLACE({x}, ' ', ''), 'uhr', 'h'), '.m', 'm'), 'm.', 'm')"
    whens = ""
    for hour, n in (("[0-9]", 1), ("[0-9][0-9]", 2)):
        begin, minutes = f"SUBSTR({plain}, 1, {n})", f"SUBSTR({plain}, {n + 2}, 2)"
        for rest, new in (
            ("h", "':00'"),
            ("h[0-9][0-9]", f"':' || {minutes}"),
            ("[:.][0-9][0-9]h", f"':' || {minutes}"),
            ("[ap]m", f"':00' || SUBSTR({plain}, -2)"),
            (".[0-9][0-9][ap]m", f"':' || {minutes} || SUBSTR({plain}, -2)"),
        ):
            whens += f" WHEN {plain} GLOB '{hour}{rest}' THEN {begin} || {new}"
    return f"CASE{whens} ELSE {x} END"


def _plain(x: str, moment: Moment) -> str:
    """Return the text without a weekday, and with marks in 01jan2020:10:30:00."""
    if moment.part == CLOCK:
        return x
    day = f"CASE WHEN {x} GLOB '[0-9][0-9][a-z]*' THEN 2 ELSE 1 END"
    name, rest = f"SUBSTR({x}, {day} + 1, 3)", f"SUBSTR({x}, {day} + 4)"
    year = f"CASE WHEN {rest} GLOB '[0-9][0-9][0-9][0-9]*' THEN 4 ELSE 2 END"
    parts = f"SUBSTR({x}, 1, {day}) || '-' || {name} || '-' || SUBSTR({rest}, 1, {year})"
    if moment.form == "dby":
        fits = f"{x} GLOB '[0-9]*[a-zä]*[0-9]' AND {name} IN ({SHORT})"
        time = f"LTRIM(SUBSTR({rest}, {year} + 1), ' ,t:')"
        return f"CASE WHEN {fits} THEN RTRIM({parts} || ' ' || {time}) ELSE {x} END"
    names = [f"{x} GLOB '{name}*'" for name in WEEKDAYS] + [f"{x} GLOB '{name}[., ]*'" for name in SHORT_WEEKDAYS]
    bare = f"LTRIM(LTRIM({x}, 'abcdefghijklmnopqrstuvwxyz'), ' .,')"
    return f"CASE WHEN {' OR '.join(names)} THEN {bare} ELSE {x} END"


def _zone(x: str, moment: Moment) -> str:
    if moment.part == CLOCK:
        return "NULL"
    tails = zip(ZONES, (6, 5, 3, 5, 2), strict=True)
    whens = " ".join(f"WHEN SUBSTR({x}, -{n}) GLOB '{zone}' THEN SUBSTR({x}, -{n})" for zone, n in tails)
    return f"CASE WHEN {x} NOT LIKE '%:%' THEN NULL {whens} END"


def _bare(x: str, zone: str) -> str:
    """Return the text without its zone."""
    cut = f"RTRIM(SUBSTR({x}, 1, LENGTH({x}) - LENGTH({zone})))"
    shorter = f"RTRIM(SUBSTR({cut}, 1, LENGTH({cut}) - 3))"
    cut = f"CASE WHEN {cut} LIKE '%utc' OR {cut} LIKE '%gmt' THEN {shorter} ELSE {cut} END"
    named = " ".join(
        f"WHEN {x} GLOB '*:[0-9]*{word}' THEN RTRIM(SUBSTR({x}, 1, LENGTH({x}) - {len(word)}))"
        for word in ("z", "utc", "gmt")
    )
    return f"CASE WHEN {zone} IS NOT NULL THEN {cut} {named} ELSE {x} END"


def _half(x: str) -> str:
    """Return "a" or "p" of a time in halves of the day."""
    forms = [f"*[0-9]{blank}{{}}{dot}m{end}" for blank in ("", " ") for dot in ("", ".") for end in ("", ".")]
    whens = " ".join(f"WHEN {x} GLOB '{form.format(half)}' THEN '{half}'" for half in "ap" for form in forms)
    return f"CASE WHEN {x} NOT LIKE '%:%' THEN NULL {whens} END"


def _clock(x: str) -> str:
    """Return the time: from the two characters before the first colon on."""
    start = f"INSTR({x}, ':')"
    return f"CASE WHEN {start} > 1 THEN LTRIM(SUBSTR({x}, MAX({start} - 2, 1)), ' ,t') END"


def _calendar(x: str, clock: str) -> str:
    return (
        f"CASE WHEN {clock} IS NULL THEN {x} ELSE RTRIM(SUBSTR({x}, 1, LENGTH({x}) - LENGTH({clock})), ' ,t') END"
    )


def _pieces(x: str, mark: str) -> str:
    """Return the pieces between marks as a list in JSON."""
    for other in "/., " if mark == "-" else "":
        x = f"REPLACE({x}, '{other}', '{mark}')"
    for _ in range(2 * (mark == "-")):
        x = f"REPLACE({x}, '--', '-')"
    quoted = f"""'["' || REPLACE({x}, '{mark}', '","') || '"]'"""
    return f"CASE WHEN {x} GLOB '*[^-a-zä0-9:.,]*' THEN NULL ELSE {quoted} END"


def _pieces_in_order(moment: Moment, at: Names) -> list[dict[str, str]]:
    piece = {at(f"p{i}"): f"JSON_EXTRACT({at('pieces')}, '$[{i}]')" for i in range(4)}
    hand = {at(f"h{i}"): f"JSON_EXTRACT({at('hands')}, '$[{i}]')" for i in range(4)}
    alone = f"{at('calendar')} = '' AND " * (moment.part == CLOCK)
    fits = f"{alone}{at('clock')} IS NOT NULL AND {at('h3')} IS NULL"
    fits += f" AND {_digits(at('h0'), 1, 2)} AND {_digits(at('h1'), 2, 2)}"
    fits += f" AND ({at('h2')} IS NULL OR {_second(at('h2'))})"
    hands = {at(name): f"CASE WHEN {fits} THEN {at(f'h{i}')} END" for i, name in enumerate("HMS")}
    if moment.part == CLOCK:
        return [hand, hands]
    p = [at(f"p{i}") for i in range(3)]
    first = f"{_digits(p[0], 4, 4)} AND {_is_month(p[1])} AND ({p[2]} IS NULL OR {_digits(p[2], 1, 2)})"
    d, m = (p[1], p[0]) if moment.form == "mdy" else (p[0], p[1])
    last = f"{_digits(d, 1, 2)} AND {_is_month(m)} AND ({_digits(p[2], 2, 2)} OR {_digits(p[2], 4, 4)})"
    places = {"y": (p[0], p[2]), "m": (p[1], m), "d": (p[2], d)}
    is_good = f"{at('p3')} IS NULL AND ({at('clock')} IS NULL OR ({fits}))"
    texts = {
        at(name): f"CASE WHEN {is_good} THEN CASE WHEN {first} THEN {a} WHEN {last} THEN {b} END END"
        for name, (a, b) in places.items()
    }
    return [piece | hand, texts | hands]


def _digits(x: str, least: int, most: int) -> str:
    return f"(LENGTH({x}) BETWEEN {least} AND {most} AND {x} NOT GLOB '*[^0-9]*')"


def _second(x: str) -> str:
    whole = f"{x} GLOB '[0-9][0-9]'"
    return f"({whole} OR ({x} GLOB '[0-9][0-9][.,][0-9]*' AND SUBSTR({x}, 4) NOT GLOB '*[^0-9]*'))"


def _is_month(x: str) -> str:
    return f"({_digits(x, 1, 2)} OR (SUBSTR({x}, 1, 3) IN ({SHORT}) AND {x} NOT GLOB '*[^a-zä]*'))"
