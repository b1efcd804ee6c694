"""Tables of laboratories and instruments, and of those who publish data."""

from __future__ import annotations

from tests.data.reading.tables.making import N, days, turned, turns
from tests.data.reading.tables.truth import (
    KnownTable,
    asked,
    date,
    known,
    lines,
    number,
    order,
    text,
    unused,
    yes_no,
)


@known
def plate_reader():
    above = ("Plate Reader Export", "Instrument,Model 340", "Wavelength,450 nm", "Read,2024-01-05 10:15", "")
    wells = [f"{row}{column}" for row in "ABCDEFGH" for column in range(1, 13)]
    columns = turned(
        wells, turns(("STD1", "STD2", "BLANK", "S001"), 96), turns(("<0.5", "12.4", "OVRFLW", "0.9"), 96),
    )  # fmt: skip
    body = [
        f"{well},{sample},{0.05 + 0.013 * (i % 37):.3f},{conc}" for i, (well, sample, conc) in enumerate(columns)
    ]
    content = lines(*above, "Well,Sample,OD450,Conc", *body, end="\r\n").encode()
    truth = {
        "Well": text("A1", "A2"), "Sample": text("STD1", "STD2"), "OD450": number(0.05, 0.063), "Conc": asked(),
    }  # fmt: skip
    return KnownTable(
        "a plate reader's list of wells, lines above", "plate.csv", content, 96, truth, target="Sample"
    )


@known
def plate_reader_numbered_wells():
    rows = [
        f"{plate}{row}{column},{0.1 + 0.01 * i:.2f},{'case' if i % 3 else 'control'}"
        for i, (plate, row, column) in enumerate((p, "E", c) for p in (1, 2, 3) for c in range(1, 9))
    ]
    content = lines("well,signal,group", *rows).encode()
    truth = {"well": text("1E1", "1E2"), "signal": number(0.1, 0.11), "group": text("control", "case")}
    return KnownTable("wells 1E1, 2E8 that look like powers of ten", "wells.csv", content, N, truth)


@known
def plate_reader_two_blocks():
    block = [
        f"{row}," + ",".join(f"{0.1 + i / 100:.2f}" for i in range(k, k + 12)) for k, row in enumerate("ABCDEFGH")
    ]
    head = "," + ",".join(map(str, range(1, 13)))
    content = lines("450 nm", head, *block, "", "620 nm", head, *block, "", "End of file").encode()
    truth = {}
    return KnownTable(
        "a plate reader's two blocks, with a footer", "blocks.csv", content, 8, truth, asks=("refusal",)
    )


@known
def sensor_log():
    columns = turned(("21.5", "21.6", "", "22.05"), ("45%", "46%", "44%"), ("OK", "OK", "FAULT"))
    rows = [
        f"{1704448800 + 600 * i},2024-01-05T{10 + i // 6:02d}:{10 * (i % 6):02d}:00Z,{t},{h},{s}"
        for i, (t, h, s) in enumerate(columns)
    ]
    content = lines("epoch,time,temp_C,humidity,status", *rows).encode()
    truth = {
        "epoch": asked(), "time": date("2024-01-05T10:00:00", "2024-01-05T10:10:00"),
        "temp_C": number(21.5, 21.6, None, 22.05), "humidity": number(0.45, 0.46),
        "status": text("OK", "OK", "FAULT"),
    }  # fmt: skip
    return KnownTable("a sensor's log: seconds since 1970, gaps", "sensor.log", content, N, truth)


@known
def logger_with_units():
    columns = turned(days("2024-01-05", step=1), (3.5, -1.25, 0), (1013.2, 998.7), ("N", "SW", "E"))
    rows = [f"{d};{t};{p};{w}".replace(".", ",") for d, t, p, w in columns]
    content = lines("Zeit;Temperatur;Druck;Wind", "[UTC];[°C];[hPa];", *rows).encode()
    truth = {
        "Zeit": date("2024-01-05", "2024-01-06"), "Temperatur": number(3.5, -1.25, 0),
        "Druck": number(1013.2, 998.7), "Wind": text("N", "SW", "E"),
    }  # fmt: skip
    return KnownTable("a logger with a row of units below the names", "logger.csv", content, N, truth)


@known
def hospital_lab():
    columns = turned(
        turns("MW"), ("<0,5", "12,3", "0,8", ">200", "5,1"), ("neg", "1+", "3+", "2+", "Spur"), ("pos", "neg"),
        ("4,1 mmol/l", "3,9 mmol/l", "5,2 mmol/l"), ("98", "n.b.", "110", "105"), days("2024-01-05"),
    )  # fmt: skip
    rows = [
        f"{i:07d};{sex};{crp};{prot};{rh};{k};{glu};{d:%d.%m.%Y}"
        for i, (sex, crp, prot, rh, k, glu, d) in enumerate(columns, 12)
    ]
    content = lines("Pat-Nr;Geschl.;CRP;Protein;Rhesus;Kalium;Glucose;Abnahme", *rows).encode("cp1252")
    truth = {
        "Pat-Nr": text("0000012", "0000013"), "Geschl.": text("M", "W"), "CRP": asked(),
        "Protein": order("neg", "Spur", "1+", "2+", "3+"), "Rhesus": yes_no("neg", "pos"),
        "Kalium": number(4.1, 3.9, 5.2), "Glucose": asked(), "Abnahme": date("2024-01-05"),
    }  # fmt: skip
    return KnownTable(
        "a hospital's lab list: <0,5, 3+, units in cells", "labor.csv", content, N, truth, target="Geschl."
    )


@known
def genotypes():
    columns = turned(
        ("12,14", "13,15", "9,9", "12,12"), ("0/1", "1/1", "0/0", "./."), ("A/G", "A/A", "G/G"), (61.5, 44.25, 39),
        ("case", "control"),
    )  # fmt: skip
    rows = [f"S{i:03d}\t{a}\t{b}\t{c}\t{age}\t{case}" for i, (a, b, c, age, case) in enumerate(columns, 1)]
    content = lines("sample\tD3S1358\trs123\trs77\tage\tstatus", *rows).encode()
    truth = {
        "sample": unused(), "D3S1358": text("12,14", "13,15", "9,9"), "rs123": asked(),
        "rs77": text("A/G", "A/A", "G/G"), "age": number(61.5, 44.25), "status": text("case", "control"),
    }  # fmt: skip
    return KnownTable("genotypes: alleles 12,14 and 0/1 and A/G", "genotypes.tsv", content, N, truth)


@known
def weather_station():
    above = ("Station,Zugspitze", "Latitude,47.42", "Longitude,10.98", "Elevation (m),2964", "")
    columns = turned(days("2024-01-05", step=1), (-8.5, -3.1, 0.4), (0.0, 12.3, -999), (1, 3, 9), ("eor",))
    rows = [f"{d:%Y%m%d},{t},{r},{q},{q2}" for d, t, r, q, q2 in columns]
    content = lines(*above, "DATE,TMK,RSK,QN,eor", *rows).encode()
    truth = {
        "DATE": asked(), "TMK": number(-8.5, -3.1), "RSK": number(0, 12.3), "QN": number(1, 3), "eor": unused(),
    }  # fmt: skip
    return KnownTable(
        "a weather station: key,value lines above, dates 20240105, −999",
        "station.csv",
        content,
        N,
        truth,
        asks=("RSK",),
        target="QN",
    )


@known
def uci_data():
    columns = turned(
        (39, 50, 38, 53), ("State-gov", "Private", "?"), (77516, 83311, 215646), ("Male", "Female"),
        ("<=50K", ">50K"),
    )  # fmt: skip
    rows = [f"{a}, {w}, {b}, {s}, {y}" for a, w, b, s, y in columns]
    content = lines(*rows).encode()
    truth = {
        "column 1": number(39, 50), "column 2": text("State-gov", "Private", None), "column 3": number(77516),
        "column 4": text("Male", "Female"), "column 5": text("<=50K", ">50K"),
    }  # fmt: skip
    return KnownTable("UCI's way: no header, blanks behind commas, ?", "adult.data", content, N, truth)


@known
def office_of_statistics():
    """Flags behind values, and a colon where there is none, as European offices of statistics write."""
    columns = turned(
        ("DE", "FR", "IT"), (2019, 2020), ("12.3 p", "11.8", ":", "10.4 e", "9.9"), (":", "3.1", "2.9"),
    )  # fmt: skip
    rows = [f"{geo},{year},{value},{rate}" for geo, year, value, rate in columns]
    content = lines("geo,TIME,value,rate", *rows).encode()
    truth = {"geo": text("DE", "FR"), "TIME": number(2019, 2020), "value": asked(), "rate": number(None, 3.1, 2.9)}
    return KnownTable(
        "an office of statistics: flags behind values, : for none", "rates.csv", content, N, truth, target="geo"
    )
