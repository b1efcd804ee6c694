"""Units: a column of numbers with units of one dimension (500 g, 2 kg) is a column of numbers in one of them.

Where every cell has the same unit, the number is what stands there, whatever the unit means. Cells with several
units are numbers only if all of these are of one dimension and turned into each other exactly: of kilograms and
pounds, of months and years, never of months and days. What "m" means, the other cells of the column say: metres
beside km, months beside y. Units that could mean two things are none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from espalier.data.columns import numbers
from espalier.data.columns.numbers import pc, trimmed_texts
from espalier.data.options import NumberFormat

# The units of a dimension on each line, with their size; a slash separates synonyms. Sizes are those of the SI
# brochure (9th edition) and, of pounds and feet, the international ones of 1959. ML is a megalitre or shouted.
_DIMENSIONS = """
t tonne tonnes Mg:1000000 kg kgs kilo kilos kilogram kilograms kilogramm:1000 g gr gram grams gramm:1 mg:1/1000 \
µg ug mcg:1/1000000 ng:1/1000000000 lb lbs pound pounds:453.59237 oz ounce ounces:28.349523125
km kilometer kilometers kilometre kilometres:1000 m metres metre meters meter:1 dm:1/10 \
cm centimeter centimeters centimetre centimetres:1/100 mm millimeter millimeters millimetre millimetres:1/1000 \
µm um:1/1000000 mi mile miles:1609.344 yd yard yards:0.9144 ft foot feet:0.3048 in inch inches zoll:0.0254
km² sqkm:1000000 ha hectare hectares hektar:10000 m² qm sqm:1 cm²:1/10000 mm²:1/1000000 acre acres:4046.8564224 \
ft² sqft:0.09290304
m³ cbm:1000 hl:100 l liter liters litre litres:1 dl:1/10 cl:1/100 ml milliliter milliliters cc cm³:1/1000 \
µl ul:1/1000000 ML:1000000 ML:1/1000
years year yr yrs y jahr jahre an ans année années:12 quarter quarters quartal quartale:3 \
months month mo mos m monat monate mois:1
week weeks wk wks w woche wochen:604800 day days d tag tage:86400 hour hours hr hrs h stunde stunden std:3600 \
min mins minute minutes minuten:60 sec secs second seconds s sek sekunden:1
TB:1000000000000 GB:1000000000 MB:1000000 KB kB:1000 B byte bytes:1 KiB:1024 MiB:1048576 GiB:1073741824 \
TiB:1099511627776
Tbit Tb:1000000000000 Gbit Gb:1000000000 Mbit Mb:1000000 kbit kb:1000 bit bits:1
GWh:1000000 MWh:1000 kWh:1 Wh:1/1000 mWh:1/1000000
MJ:1000000 kJ:1000 J:1 mJ:1/1000
kcal:1000 cal:1
GW:1000000000 MW:1000000 kW:1000 W:1 mW:1/1000
MV:1000000 kV:1000 V volt:1 mV:1/1000
A ampere:1 mA:1/1000
GHz:1000000000 MHz:1000000 kHz:1000 Hz:1
MPa:1000000 bar:100000 kPa:1000 hPa mbar:100 Pa:1 mPa:1/1000
km/h kmh kph:1 m/s:3.6 mph:1.609344
g/l mg/ml:1 g/dl:10 mg/dl:1/100 mg/l µg/ml:1/1000 µg/l ng/ml:1/1000000
mol/l:1 mmol/l:1/1000 µmol/l:1/1000000
°C:1
°F:1
K:1
mmHg:1
bpm:1
kg/m²:1
"""
_LINE = re.compile(r"([^:]+):([\d./]+)")
_LETTERS = "A-Za-z°µμÀ-ÿ"
NUMBER_WITH_UNIT = (
    f"^(?P<number>[+−-]?(?:[.,][0-9]+|0(?:[.,][0-9]+)?|[1-9](?:[0-9.,'’{numbers.SPACES}]*[0-9])?))[{numbers.SPACES}]*"
    f"(?P<unit>[{_LETTERS}][{_LETTERS}/0-9²³]*)[.]?$"
)
LOOK = 500  # cells by which it is guessed whether a column has units
Sizes = Mapping[str, Fraction | None]  # by unit; None: it is open what it means


@cache
def _tables() -> tuple[Sizes, ...]:
    """Return the sizes of the units of each dimension, as they are written and in small letters."""
    lines = [
        [(plain(unit), Fraction(size)) for units, size in _LINE.findall(line) for unit in units.split()]
        for line in _DIMENSIONS.strip().splitlines()
    ]
    names = {unit for line in lines for unit, _ in line}
    return tuple(_table(line, names) for line in lines)


def _table(line: list[tuple[str, Fraction]], names: set[str]) -> Sizes:
    sizes = {unit: {size for name, size in line if name == unit} for unit, _ in line}
    table = {unit: next(iter(sizes_)) if len(sizes_) == 1 else None for unit, sizes_ in sizes.items()}
    for fold in {unit.casefold() for unit in sizes}:
        alike = {size for unit, sizes_ in sizes.items() if unit.casefold() == fold for size in sizes_}
        for unit in names:
            if unit.casefold() == fold:  # of another dimension: "Mb" are bits, no way to write MB
                table.setdefault(unit, None)
        table.setdefault(fold, next(iter(alike)) if len(alike) == 1 else None)
        if len(alike) > 1:
            table.setdefault(fold.upper(), None)  # MG may be mg or Mg
    return table


def plain(unit: str) -> str:
    """Return a unit in the one way of writing its letters and powers: "m²" as "m2"."""
    return unicodedata.normalize("NFKC", unit)


def size_in(table: Sizes, unit: str) -> Fraction | None:
    """Return the size of a unit (`plain`) in a table; None where it has none, or it is open."""
    return table[unit] if unit in table else table.get(unit.casefold())


def sizes_of(units: Iterable[str]) -> dict[str, Fraction] | None:
    """Return the sizes of units (`plain`) of one dimension; None unless there is just one way to read them.

    >>> sizes_of(["m", "km"]), sizes_of(["m", "y"]), sizes_of(["m", "kg"])
    ({'m': Fraction(1, 1), 'km': Fraction(1000, 1)}, {'m': Fraction(1, 1), 'y': Fraction(12, 1)}, None)
    """
    units = list(dict.fromkeys(units))
    if len(units) == 1 and any(units[0] in table or units[0].casefold() in table for table in _tables()):
        return {units[0]: Fraction(1)}
    readings = []
    for table in _tables():
        sizes = [size for unit in units if (size := size_in(table, unit)) is not None]
        if sizes and len(sizes) == len(units):
            readings.append(sizes)
    if len({tuple(size / sizes[0] for size in sizes) for sizes in readings}) != 1:
        return None
    return dict(zip(units, readings[0], strict=True))


@cache
def conversions(unit: str) -> Sizes:
    """Return how many of a unit there are in one of each unit of its dimension; in itself alone if that is open.

    >>> conversions("kg")["g"], conversions("m")
    (Fraction(1, 1000), {'m': Fraction(1, 1)})
    """
    unit = plain(unit)
    fitting = [table for table in _tables() if size_in(table, unit) is not None]
    if len(fitting) != 1:
        return {unit: Fraction(1)}
    size_of_unit = size_in(fitting[0], unit)
    assert size_of_unit is not None
    return {name: size and size / size_of_unit for name, size in fitting[0].items()}


def unit_of(values: Any, least: float = 1.0) -> str:
    """Return the unit of most cells of a column of numbers with units of one dimension; "" for other columns.

    At least this share of the cells must be such numbers.
    """
    cells = trimmed_texts(values).drop_null()
    if not len(cells) or _share(cells.slice(0, LOOK)) < least / 2 or _share(cells) < least:
        return ""
    unit = _usual(_counts(cells))
    return unit if unit and np.isnan(read(cells, number_format(cells, unit))).mean() <= 1 - least else ""


def strange_units(values: Any) -> list[str]:
    """Return the units of a column of numbers that have no one unit, the most frequent first; "" for none.

    Empty for a column with cells that are no numbers, and for one with one dimension of units or with none.
    """
    cells = trimmed_texts(values).drop_null()
    bare = pc.match_substring_regex(cells, numbers.LOOSE)
    counts = _counts(cells.filter(pc.invert(bare)))
    n_bare = numbers.n_true(bare)
    if sum(counts.values()) + n_bare < len(cells) or max(map(len, counts), default=0) < 2:  # wells: 1A, 2B
        return []
    if any(sizes_of([unit]) is None for unit in counts) or (not n_bare and _usual(counts)):
        return []
    return [unit for unit, _ in Counter(counts | ({"": n_bare} if n_bare else {})).most_common()]


def number_format(values: Any, unit: str, mark: str = ".") -> NumberFormat:
    """Return the number format of a text column whose cells have units, to be read in this one.

    `mark` is the decimal mark where the cells leave it open.
    """
    amounts = split_units(trimmed_texts(values).drop_null())[0].drop_null()
    return numbers.guess_format(amounts, mark)._replace(unit=unit)


def amounts_of(columns: Mapping[int, pa.Array]) -> dict[int, pa.Array]:
    """Return the numbers without their units of those columns (by position) that have units of one dimension.

    >>> amounts_of({0: pa.array(["1,5 kg", "500 g"]), 1: pa.array(["red", "blue"])})[0].to_pylist()
    ['1,5', '500']
    """
    some = {i: numbers.present(numbers.sample(column)) for i, column in columns.items()}
    return {i: split_units(cells)[0] for i, cells in some.items() if unit_of(cells)}


def read(values: Any, format_: NumberFormat) -> np.ndarray:
    """Return the numbers of a column in the unit of its format, (n,) float64; nan for cells without such a unit.

    Other units are turned into it exactly, and the result is rounded once.
    """
    amounts, units = split_units(trimmed_texts(values))
    floats = numbers.read_some(amounts, format_).to_numpy(zero_copy_only=False).astype(np.float64, copy=True)
    table = conversions(format_.unit)
    codes = units.dictionary_encode()
    places = pc.fill_null(codes.indices, -1).to_numpy(zero_copy_only=False)
    for code, unit in enumerate(codes.dictionary.to_pylist()):
        size, rows = size_in(table, plain(unit)), places == code
        if size != 1:
            distinct, place = np.unique(floats[rows], return_inverse=True)
            floats[rows] = np.array([convert(x, size) for x in distinct.tolist()])[place]
    return floats


def convert(x: float, size: Fraction | None) -> float:
    """Return the number times the size, rounded once from the digits that people write; nan without a size.

    >>> convert(0.29, Fraction(100)), 0.29 * 100
    (29.0, 28.999999999999996)
    """
    return float(Fraction(repr(x)) * size) if size is not None and np.isfinite(x) else float("nan")


def example(values: Any, format_: NumberFormat) -> tuple[str, float] | None:
    """Return a cell and the number that it is read as, of another unit than the column's if there is one."""
    cells = trimmed_texts(values)
    units, floats = split_units(cells)[1], read(values, format_)
    is_other = pc.fill_null(pc.not_equal(units, format_.unit), False).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(~np.isnan(floats))
    rows = rows[np.argsort(~is_other[rows], kind="stable")]
    return (cells[int(rows[0])].as_py(), float(floats[rows[0]])) if len(rows) else None


def split_units(cells: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return the numbers and the units of cells, both missing where a cell has not both."""
    parts = pc.extract_regex(cells, NUMBER_WITH_UNIT)
    return pc.struct_field(parts, "number"), pc.struct_field(parts, "unit")


def _share(cells: pa.Array) -> float:
    return 1 - split_units(cells)[1].null_count / len(cells)


def _counts(cells: pa.Array) -> dict[str, int]:
    """Return the units of cells, and how many have each."""
    counts = Counter[str]()
    for count in pc.value_counts(split_units(cells)[1]).to_pylist():
        if count["values"] is not None:
            counts[plain(count["values"])] += count["counts"]
    return counts


def _usual(counts: Mapping[str, int]) -> str:
    """Return the unit of most cells, in a word that means nothing else; "" if they are of no one dimension."""
    sizes = sizes_of(counts)
    if sizes is None or not counts:
        return ""
    n_of_size = Counter[Fraction]()
    for unit, n in counts.items():
        n_of_size[sizes[unit]] += n
    usual = max(n_of_size, key=lambda size: (n_of_size[size], size))
    alike = sorted((unit for unit in counts if sizes[unit] == usual), key=lambda unit: -counts[unit])
    if len(counts) > 1:  # "m" beside "km" are metres
        table = next(t for t in _tables() if all(size_in(t, unit) == size_ for unit, size_ in sizes.items()))
        alike += [unit for unit, size in table.items() if size == usual]
    return next((unit for unit in alike if all(size_in(conversions(unit), size_) for size_ in counts)), "")
