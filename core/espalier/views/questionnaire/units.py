"""Units that end the name of a number, in brackets."""

_UNITS = """
mm cm m km µm nm in ft yd mi inches mg g kg t µg ng lb oz ml mL l L dl dL s ms min h hr hours d days weeks months
yr years % ‰ °C °F K € $ £ USD EUR GBP bpm mmHg Pa hPa kPa bar W kW kWh V A mA Hz kHz MHz J kJ kcal cal mol ppm ppb
dB mph kn
"""
UNITS = frozenset(_UNITS.split())
