"""Units of numbers: they stand in brackets at the end of a column's name, and in sentences behind its values."""

from __future__ import annotations

from espalier.data.dataset import Feature
from espalier.display.text.moments import subject
from espalier.inert import inert

_UNITS = """
mm cm m km µm nm in ft yd mi inches mg g kg t µg ng lb oz ml mL l L dl dL s ms min h hr hours d days weeks months
yr years % ‰ °C °F K € $ £ USD EUR GBP bpm mmHg Pa hPa kPa bar W kW kWh V A mA Hz kHz MHz J kJ kcal cal mol ppm ppb
dB mph kn
"""
UNITS = frozenset(_UNITS.split())


def parted(feature: Feature) -> tuple[str, str]:
    """Return the name of a number and its unit, if the name ends with one in brackets; else the name and "".

    >>> parted(Feature("petal length (cm)")), parted(Feature("share (new)"))
    (('petal length', 'cm'), ('share (new)', ''))
    """
    if feature.moment is not None:
        return subject(feature), ""
    if feature.unit and feature.name.endswith((f"({feature.unit})", f"[{feature.unit}]")):
        return inert(feature.name[: -len(feature.unit) - 2].rstrip()), inert(feature.unit)
    name, _, end = feature.name.rstrip().rpartition("(" if feature.name.rstrip().endswith(")") else "[")
    unit = end[:-1].strip()
    if feature.categories or not name.strip() or end[-1:] not in (")", "]"):
        return inert(feature.name), ""
    is_unit = unit in UNITS or ("/" in unit and unit.split("/")[0] in UNITS and " " not in unit)
    return (inert(name.strip()), inert(unit)) if is_unit else (inert(feature.name), "")


def behind(unit: str) -> str:
    """Return a unit as it follows a number; nothing for none."""
    return f" {unit}" if unit else ""
