"""Tables of offices: spreadsheets in several languages, ledgers, banks."""

from __future__ import annotations

import datetime

from tests.data.reading.tables.making import N, days, german, turned, turns, workbook
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

CITIES = ("Köln", "Dresden", "Münster", "Ulm")
columns = turned(
    days("2024-01-05"), turns(CITIES), (50667, 1067, 48143, 89073), [1234.5 + 310.25 * i for i in range(N)],
    (0.1, 0.25, 0.075, 0), (True, False, True),
)  # fmt: skip
SALES = [(day, city, zip_, amount, share, paid) for day, city, zip_, amount, share, paid in columns]


@known
def excel_german_workbook():
    header = ("Datum", "Ort", "PLZ", "Umsatz", "Rabatt", "bezahlt")
    content = workbook([header, *SALES], {"C": "00000", "D": '#,##0.00 "€"', "E": "0.0%", "A": "DD.MM.YYYY"})
    truth = {
        "Datum": date("2024-01-05", "2024-01-14"), "Ort": text("Köln", "Dresden"), "PLZ": text("50667", "01067"),
        "Umsatz": number(1234.5, 1544.75), "Rabatt": number(0.1, 0.25, 0.075, 0),
        "bezahlt": yes_no("false", "true"),
    }  # fmt: skip
    return KnownTable("Excel in German, .xlsx", "umsatz.xlsx", content, N, truth)


@known
def excel_german_csv():
    rows = [
        f"{d:%d.%m.%Y};{city};{zip_:05d};{german(amount)} €;{german(100 * share, 1)}%;{('FALSCH', 'WAHR')[paid]}"
        for d, city, zip_, amount, share, paid in SALES
    ]
    content = lines("Datum;Ort;PLZ;Umsatz;Rabatt;bezahlt", *rows, end="\r\n").encode("cp1252")
    truth = {
        "Datum": date("2024-01-05", "2024-01-14"), "Ort": text("Köln", "Dresden"), "PLZ": text("50667", "01067"),
        "Umsatz": number(1234.5, 1544.75), "Rabatt": number(0.1, 0.25, 0.075, 0),
        "bezahlt": yes_no("FALSCH", "WAHR"),
    }  # fmt: skip
    return KnownTable("Excel in German, the CSV of the same sheet (cp1252)", "umsatz.csv", content, N, truth)


@known
def excel_english_csv():
    columns = turned(SALES, ('"Smith, J."', "O'Neil", '"7"" Ltd"'), ('"(1,250.00)"', "310.50", "(80.25)", " - "))
    rows = [
        f'{d.month}/{d.day}/{d.year},{name},"${amount:,.2f}",{100 * share:.1f}%,{str(paid).upper()},{profit}'
        for (d, _, _, amount, share, paid), name, profit in columns
    ]
    content = lines("Date,Customer,Amount,Discount,Paid,Profit", *rows, end="\r\n").encode("utf-8-sig")
    truth = {
        "Date": date("2024-01-05", "2024-01-14"), "Customer": text("Smith, J.", "O'Neil", '7" Ltd'),
        "Amount": number(1234.5, 1544.75), "Discount": number(0.1, 0.25), "Paid": yes_no("FALSE", "TRUE"),
        "Profit": number(-1250, 310.5, -80.25, None),
    }  # fmt: skip
    return KnownTable("Excel in English, CSV UTF-8 with BOM", "sales.csv", content, N, truth)


@known
def excel_sep_line():
    rows = [f"{4711 + i:08d};{german(3.5 + i / 4)};{'ja' if i % 3 else 'nein'}" for i in range(N)]
    content = lines("sep=;", "Artikel-Nr;Länge [cm];lieferbar", *rows, end="\r\n").encode("utf-8-sig")
    truth = {
        "Artikel-Nr": text("00004711", "00004712"), "Länge [cm]": number(3.5, 3.75),
        "lieferbar": yes_no("nein", "ja"),
    }  # fmt: skip
    return KnownTable("an ERP's export for Excel, first line sep=;", "artikel.csv", content, N, truth)


@known
def excel_report_with_total():
    body = [
        (r, m, 100.0 + 7 * i, 3 + i % 5)
        for i, (r, m) in enumerate(
            (region, month) for region in ("North", "South", "East") for month in ("Jan", "Feb", "Mar", "Apr")
        )
    ]
    rows = [
        ("Quarterly report 2024",), (), ("Region", "Month", "Revenue", "Orders"), *body,
        ("Total", None, sum(row[2] for row in body), sum(row[3] for row in body)),
    ]  # fmt: skip
    content = workbook(rows)
    truth = {
        "Region": text("North"), "Month": order("Jan", "Feb", "Mar", "Apr"), "Revenue": number(100, 107),
        "Orders": number(3, 4),
    }  # fmt: skip
    return KnownTable(
        "a workbook with a title and a row of totals", "report.xlsx", content, 13, truth, asks=("Total",)
    )


@known
def excel_dates_of_codes():
    """Excel has made dates of some age groups: 5-9 is the 5th of September."""
    groups = ("0-4", datetime.datetime(2024, 9, 5), datetime.datetime(2024, 10, 14), "15-19", "20+")
    rows = [("group", "cases", "county"), *zip(turns(groups), range(3, 99, 4), turns("ABC"), strict=True)]
    content = workbook(rows)
    truth = {"group": asked(), "cases": number(3, 7), "county": text("A")}
    return KnownTable("age groups of which Excel made dates", "ages.xlsx", content, N, truth)


@known
def swiss_ledger():
    rows = [
        f"{d:%d.%m.%Y};{1200 + 735.4 * i:,.2f}".replace(",", "'") + f";CHF;{g}"
        for i, (d, g) in enumerate(zip(days("2023-11-02"), turns(("Löhne", "Miete", "Büro")), strict=True))
    ]
    content = lines("Datum;Betrag;Währung;Konto", *rows).encode()
    truth = {
        "Datum": date("2023-11-02", "2023-11-11"), "Betrag": number(1200, 1935.4), "Währung": unused(),
        "Konto": text("Löhne", "Miete", "Büro"),
    }  # fmt: skip
    return KnownTable("a Swiss ledger (1'234.50)", "buchungen.csv", content, N, truth)


@known
def french_export():
    rows = [
        f"{d:%d/%m/%Y};{1150.5 + 420.25 * i:,.2f}".replace(",", "\u00a0").replace(".", ",")
        + f" €;{'oui' if i % 3 else 'non'};{g}"
        for i, (d, g) in enumerate(zip(days("2024-01-03"), turns(("faible", "moyen", "élevé")), strict=True))
    ]
    content = lines("Date;Montant;Payé;Risque", *rows, end="\r\n").encode("cp1252")
    truth = {
        "Date": date("2024-01-03", "2024-01-12"), "Montant": number(1150.5, 1570.75), "Payé": yes_no("non", "oui"),
        "Risque": order("faible", "moyen", "élevé"),
    }  # fmt: skip
    return KnownTable("a French export (cp1252, 1 234,50 €)", "ventes.csv", content, N, truth)


@known
def libreoffice_csv():
    columns = turned(
        ("Müller, Eva", 'Li "Leo" Wu'.replace('"', '""'), "Ng"), days("2024-02-20"),
        ("first line\nsecond line", "ok"),
    )  # fmt: skip
    rows = [
        f'"{name}","{d:%d.%m.%y}",{7 + i % 4}.5,TRUE,"{note}"'
        if i % 2
        else f'"{name}","{d:%d.%m.%y}",{7 + i % 4}.25,FALSE,"{note}"'
        for i, (name, d, note) in enumerate(columns)
    ]
    content = lines('"Name","Day","Hours","Done","Note"', *rows).encode()
    truth = {
        "Name": text("Müller, Eva", 'Li "Leo" Wu', "Ng"), "Day": date("2024-02-20", "2024-02-29"),
        "Hours": number(7.25, 8.5), "Done": yes_no("FALSE", "TRUE"), "Note": text("first line\nsecond line", "ok"),
    }  # fmt: skip
    return KnownTable("LibreOffice, all texts quoted, cells with line breaks", "calc.csv", content, N, truth)


@known
def german_bank_statement():
    columns = turned(
        days("2024-01-02", step=3), ("REWE SAGT DANKE", "Stadtwerke", "Gehalt ACME", "Miete"),
        ("DE02120300000000202051", "DE02500105170137075030", "AT611904300234573201"),
        [12.5 + 301.75 * i for i in range(N)], turns("SSHS"),
    )  # fmt: skip
    rows = [
        f'"{d:%d.%m.%y}";"{d:%d.%m.%y}";"{who}";"{iban}";"{german(amount)}";"EUR";"{sign}"'
        for d, who, iban, amount, sign in columns
    ]
    above = (
        '"Kontonummer:";"DE02120300000000202051 / Girokonto"', '""', '"Von:";"01.01.2024"', '"Bis:";"31.03.2024"',
        '"Kontostand vom 31.03.2024:";"1.234,56 EUR"', '""',
    )  # fmt: skip
    head = '"Buchungstag";"Wertstellung";"Empfänger";"IBAN";"Betrag";"Währung";"S/H"'
    content = lines(*above, head, *rows, end="\r\n").encode("cp1252")
    truth = {
        "Buchungstag": date("2024-01-02", "2024-01-05"), "Wertstellung": date("2024-01-02"),
        "Empfänger": text("REWE SAGT DANKE"), "IBAN": text("DE02120300000000202051"),
        "Betrag": number(12.5, 314.25), "Währung": unused(), "S/H": text("S", "S", "H", "S"),
    }  # fmt: skip
    return KnownTable(
        "a German bank's statement (lines above, S and H for minus and plus)",
        "umsaetze.csv",
        content,
        N,
        truth,
        asks=("S/H",),
    )


@known
def german_bank_minus():
    columns = turned(
        days("2024-01-02", step=3), ("Bäcker", "Bahn", "Lohn"), [1012.5 + 201.75 * i for i in range(N)],
    )  # fmt: skip
    rows = [
        f"{d:%d.%m.%Y};{who};−{german(amount)};{german(9000 - 2 * amount)}"
        if i % 3
        else f"{d:%d.%m.%Y};{who};{german(amount)};{german(9000 - 2 * amount)}"
        for i, (d, who, amount) in enumerate(columns)
    ]
    content = lines("Datum;Text;Betrag;Saldo", *rows).encode()
    truth = {
        "Datum": date("2024-01-02"), "Text": text("Bäcker"), "Betrag": number(1012.5, -1214.25),
        "Saldo": number(6975),
    }  # fmt: skip
    return KnownTable("a bank's statement with real minus signs", "konto.csv", content, N, truth)


@known
def english_bank_statement():
    columns = turned(
        days("2024-01-02", step=4), ("POS", "DD", "BGC", "ATM"), [1012.5 + 91.75 * i for i in range(N)],
        ("DR", "DR", "CR", "DR"),
    )  # fmt: skip
    rows = [
        f'{d:%d/%m/%Y},{kind},"{amount:,.2f} {sign}","{5000 + amount:,.2f} CR"'
        for d, kind, amount, sign in columns
    ]
    above = ("Account Name: Mr A Example", "Sort code: 12-34-56", "")
    content = lines(*above, "Date,Type,Amount,Balance", *rows, end="\r\n").encode()
    truth = {"Date": date("2024-01-02", "2024-01-06"), "Type": text("POS"), "Amount": asked(), "Balance": asked()}
    return KnownTable("a British bank's statement (CR, DR behind the amounts)", "statement.csv", content, N, truth)


@known
def sap_list():
    amounts = [f"{german(1234.5 + 17 * i)}{'-' * (i % 3 == 1)}" for i in range(N)]
    rows = [
        f"{4500000000 + 17 * i:012d}\t{d:%d.%m.%Y}\t{amounts[i]}\t{unit}\t{german(2.5 + i, 3)}"
        for i, (d, unit) in enumerate(zip(days("2024-01-02"), turns(("KG", "ST")), strict=True))
    ]
    content = lines("Beleg\tDatum\tBetrag\tME\tMenge", *rows, end="\r\n").encode("cp1252")
    truth = {
        "Beleg": text("004500000000", "004500000017"), "Datum": date("2024-01-02"), "Betrag": asked(),
        "ME": text("KG", "ST"), "Menge": asked(),
    }  # fmt: skip
    return KnownTable(
        "SAP: the minus behind the number, numbers filled up with zeros",
        "liste.txt",
        content,
        N,
        truth,
        asks=("decimal",),
        target="ME",
    )


@known
def german_months():
    names = ("Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez")
    moments = [(d, names[d.month - 1]) for d in days("2024-01-02", step=17)]
    rows = [
        f"{d.day:02d}-{name}-{d:%y};{d.day}. {name} {d.year};{name};{german(i / 4)}"
        for i, (d, name) in enumerate(moments)
    ]
    content = lines("Termin;am;Monat;Wert", *rows, end="\r\n").encode("cp1252")
    truth = {
        "Termin": date("2024-01-02", "2024-01-19"), "am": date("2024-01-02", "2024-01-19"), "Monat": order(*names),
        "Wert": number(0, 0.25),
    }  # fmt: skip
    return KnownTable("Excel in German: months by their names", "termine.csv", content, N, truth)
