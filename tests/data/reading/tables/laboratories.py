"""Tables of laboratories and instruments, and of those who publish data."""

from tests.data.reading.tables.making import Text, days, file, lines, series
from tests.data.reading.tables.truth import asked, date, number, order, text, unused, yes_no

PLATE = ("Plate Reader Export", "Instrument,Model 340", "Wavelength,450 nm", "Read,2024-01-05 10:15", "")
STATION = ("Station,Zugspitze", "Latitude,47.42", "Longitude,10.98", "Elevation (m),2964", "")


@file("a plate reader's two blocks, with a footer", "blocks.csv", 8, asks=("refusal",))
def plate_reader_two_blocks():
    block = [
        f"{row}," + ",".join(f"{0.1 + i / 100:.2f}" for i in range(k, k + 12)) for k, row in enumerate("ABCDEFGH")
    ]
    head = "," + ",".join(map(str, range(1, 13)))
    return lines("450 nm", head, *block, "", "620 nm", head, *block, "", "End of file").encode(), {}


TIMES = [f"2024-01-05T{hour}:{minute:02d}:00Z" for hour in range(10, 14) for minute in range(0, 60, 10)]

TEXTS = {
    Text("a plate reader's wells", "plate.csv", n_rows=96, target="Sample", above=PLATE, end="\r\n"): {
        "Well": ([f"{row}{column}" for row in "ABCDEFGH" for column in range(1, 13)], text("A1", "A2")),
        "Sample": (("STD1", "STD2", "BLANK", "S001"), text("STD1", "STD2")),
        "OD450": (series("{:.3f}", 0.05, 0.013, 37), number(0.05, 0.063)),
        "Conc": (("<0.5", "12.4", "OVRFLW", "0.9"), asked()),
    },
    Text("wells 1E1, 2E8 that look like powers of ten", "wells.csv"): {
        "well": ([f"{plate}E{column}" for plate in (1, 2, 3) for column in range(1, 9)], text("1E1", "1E2")),
        "signal": (series("{:.2f}", 0.1, 0.01), number(0.1, 0.11)),
        "group": (("control", "case", "case"), text("control", "case")),
    },
    Text("a sensor's log: seconds since 1970, gaps", "sensor.log"): {
        "epoch": (series("{}", 1704448800, 600), asked()),
        "time": (TIMES, date("2024-01-05T10:00:00", "2024-01-05T10:10:00")),
        "temp_C": (("21.5", "21.6", "", "22.05"), number(21.5, 21.6, None, 22.05)),
        "humidity": (("45%", "46%", "44%"), number(0.45, 0.46)),
        "status": (("OK", "OK", "FAULT"), text("OK", "OK", "FAULT")),
    },
    Text("a logger with a row of units below the names", "logger.csv", ";", under=("[UTC];[°C];[hPa];",)): {
        "Zeit": (days("2024-01-05", step=1), date("2024-01-05", "2024-01-06")),
        "Temperatur": (("3,5", "-1,25", "0"), number(3.5, -1.25, 0)),
        "Druck": (("1013,2", "998,7"), number(1013.2, 998.7)),
        "Wind": (("N", "SW", "E"), text("N", "SW", "E")),
    },
    Text("a hospital's lab: <0,5, 3+, units in cells", "labor.csv", ";", target="Geschl.", encoding="cp1252"): {
        "Pat-Nr": (series("{:07d}", 12), text("0000012", "0000013")),
        "Geschl.": ("MW", text("M", "W")),
        "CRP": (("<0,5", "12,3", "0,8", ">200", "5,1"), asked()),
        "Protein": (("neg", "1+", "3+", "2+", "Spur"), order("neg", "Spur", "1+", "2+", "3+")),
        "Rhesus": (("pos", "neg"), yes_no("neg", "pos")),
        "Kalium": (("4,1 mmol/l", "3,9 mmol/l", "5,2 mmol/l"), number(4.1, 3.9, 5.2)),
        "Glucose": (("98", "n.b.", "110", "105"), asked()),
        "Abnahme": (days("2024-01-05", "%d.%m.%Y"), date("2024-01-05")),
    },
    Text("genotypes: alleles 12,14 and 0/1 and A/G", "genotypes.tsv", "\t"): {
        "sample": (series("S{:03d}", 1), unused()),
        "D3S1358": (("12,14", "13,15", "9,9", "12,12"), text("12,14", "13,15", "9,9")),
        "rs123": (("0/1", "1/1", "0/0", "./."), asked()),
        "rs77": (("A/G", "A/A", "G/G"), text("A/G", "A/A", "G/G")),
        "age": ((61.5, 44.25, 39), number(61.5, 44.25)),
        "status": (("case", "control"), text("case", "control")),
    },
    Text("weather: lines above, dates 20240105, −999", "station.csv", asks=("RSK",), target="QN", above=STATION): {
        "DATE": (days("2024-01-05", "%Y%m%d", step=1), asked()),
        "TMK": ((-8.5, -3.1, 0.4), number(-8.5, -3.1)),
        "RSK": ((0.0, 12.3, -999), number(0, 12.3)),
        "QN": ((1, 3, 9), number(1, 3)),
        "eor": (("eor",), unused()),
    },
    Text("UCI's way: no header, blanks behind commas, ?", "adult.data", ", ", header=""): {
        "column 1": ((39, 50, 38, 53), number(39, 50)),
        "column 2": (("State-gov", "Private", "?"), text("State-gov", "Private", None)),
        "column 3": ((77516, 83311, 215646), number(77516)),
        "column 4": (("Male", "Female"), text("Male", "Female")),
        "column 5": (("<=50K", ">50K"), text("<=50K", ">50K")),
    },
    Text("an office of statistics in Europe: flags behind values, : for none", "rates.csv", target="geo"): {
        "geo": (("DE", "FR", "IT"), text("DE", "FR")),
        "TIME": ((2019, 2020), number(2019, 2020)),
        "value": (("12.3 p", "11.8", ":", "10.4 e", "9.9"), asked()),
        "rate": ((":", "3.1", "2.9"), number(None, 3.1, 2.9)),
    },
}
