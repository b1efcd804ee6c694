"""Tables of offices: spreadsheets in several languages, ledgers, banks."""

import datetime
from typing import Any

from tests.data.reading.tables.making import MARKED, WINDOWS, N, Text, days, file, german, series, turns, workbook
from tests.data.reading.tables.truth import asked, date, number, order, text, unused, yes_no

DAYS, CITIES, PAID = days("2024-01-05"), ("Köln", "Dresden", "Münster", "Ulm"), turns((True, False, True))
AMOUNTS, SHARES = [1234.5 + 310.25 * i for i in range(N)], turns((0.1, 0.25, 0.075, 0))
SALES = {
    "Datum": date("2024-01-05", "2024-01-14"),
    "Ort": text("Köln", "Dresden"),
    "PLZ": text("50667", "01067"),
    "Umsatz": number(1234.5, 1544.75),
    "Rabatt": number(0.1, 0.25, 0.075, 0),
}


@file("Excel in German, .xlsx", "umsatz.xlsx")
def excel_german_workbook():
    rows = zip(DAYS, turns(CITIES), turns((50667, 1067, 48143, 89073)), AMOUNTS, SHARES, PAID, strict=True)
    formats = {"C": "00000", "D": '#,##0.00 "€"', "E": "0.0%", "A": "DD.MM.YYYY"}
    return workbook([(*SALES, "bezahlt"), *rows], formats), {**SALES, "bezahlt": yes_no("false", "true")}


@file("a workbook with a title and a row of totals", "report.xlsx", 13, asks=("Total",))
def excel_report_with_total():
    places = [(region, month) for region in ("North", "South", "East") for month in ("Jan", "Feb", "Mar", "Apr")]
    body = [(*place, 100.0 + 7 * i, 3 + i % 5) for i, place in enumerate(places)]
    total = ("Total", None, sum(row[2] for row in body), sum(row[3] for row in body))
    truth = {
        "Region": text("North"),
        "Month": order("Jan", "Feb", "Mar", "Apr"),
        "Revenue": number(100, 107),
        "Orders": number(3, 4),
    }
    return workbook([("Quarterly report 2024",), (), tuple(truth), *body, total]), truth


@file("age groups of which Excel made dates: 5-9 is the 5th of September", "ages.xlsx")
def excel_dates_of_codes():
    groups = ("0-4", datetime.datetime(2024, 9, 5), datetime.datetime(2024, 10, 14), "15-19", "20+")
    rows = [("group", "cases", "county"), *zip(turns(groups), range(3, 99, 4), turns("ABC"), strict=True)]
    return workbook(rows), {"group": asked(), "cases": number(3, 7), "county": text("A")}


STATEMENT = (
    '"Kontonummer:";"DE02120300000000202051 / Girokonto"', '""', '"Von:";"01.01.2024"', '"Bis:";"31.03.2024"',
    '"Kontostand vom 31.03.2024:";"1.234,56 EUR"', '""',
)  # fmt: skip


NAMES = ("Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez")
MOMENTS = [(d, NAMES[d.month - 1]) for d in days("2024-01-02", step=17)]

BANK: dict[str, Any] = {"above": STATEMENT, "quote": '"', **WINDOWS}
ACCOUNT = ("Account Name: Mr A Example", "Sort code: 12-34-56", "")
QUOTED = '"Name","Day","Hours","Done","Note"'
EUROS = [cell.replace(".", "\u00a0") + " €" for cell in series(german, 1150.5, 420.25)]
IBANS = ("DE02120300000000202051", "DE02500105170137075030", "AT611904300234573201")
SIGNED = [("−" if i % 3 else "") + german(1012.5 + 201.75 * i) for i in range(N)]

TEXTS = {
    Text("Excel in German, the CSV of the same sheet (cp1252)", "umsatz.csv", ";", **WINDOWS): {
        "Datum": (days("2024-01-05", "%d.%m.%Y"), SALES["Datum"]),
        "Ort": (CITIES, SALES["Ort"]),
        "PLZ": (("50667", "01067", "48143", "89073"), SALES["PLZ"]),
        "Umsatz": ([f"{german(amount)} €" for amount in AMOUNTS], SALES["Umsatz"]),
        "Rabatt": ([f"{german(100 * share, 1)}%" for share in SHARES], SALES["Rabatt"]),
        "bezahlt": ([("FALSCH", "WAHR")[is_paid] for is_paid in PAID], yes_no("FALSCH", "WAHR")),
    },
    Text("Excel in English, CSV UTF-8 with BOM", "sales.csv", **MARKED): {
        "Date": ([f"{d.month}/{d.day}/{d.year}" for d in DAYS], date("2024-01-05", "2024-01-14")),
        "Customer": (('"Smith, J."', "O'Neil", '"7"" Ltd"'), text("Smith, J.", "O'Neil", '7" Ltd')),
        "Amount": ([f'"${amount:,.2f}"' for amount in AMOUNTS], number(1234.5, 1544.75)),
        "Discount": ([f"{100 * share:.1f}%" for share in SHARES], number(0.1, 0.25)),
        "Paid": ([str(is_paid).upper() for is_paid in PAID], yes_no("FALSE", "TRUE")),
        "Profit": (('"(1,250.00)"', "310.50", "(80.25)", " - "), number(-1250, 310.5, -80.25, None)),
    },
    Text("an ERP's export for Excel, first line sep=;", "artikel.csv", ";", above=("sep=;",), **MARKED): {
        "Artikel-Nr": (series("{:08d}", 4711), text("00004711", "00004712")),
        "Länge [cm]": (series(german, 3.5, 0.25), number(3.5, 3.75)),
        "lieferbar": (("nein", "ja", "ja"), yes_no("nein", "ja")),
    },
    Text("a Swiss ledger (1'234.50)", "buchungen.csv", ";"): {
        "Datum": (days("2023-11-02", "%d.%m.%Y"), date("2023-11-02", "2023-11-11")),
        "Betrag": ([cell.replace(",", "'") for cell in series("{:,.2f}", 1200, 735.4)], number(1200, 1935.4)),
        "Währung": (("CHF",), unused()),
        "Konto": (("Löhne", "Miete", "Büro"), text("Löhne", "Miete", "Büro")),
    },
    Text("a French export (cp1252, 1 234,50 €)", "ventes.csv", ";", **WINDOWS): {
        "Date": (days("2024-01-03", "%d/%m/%Y"), date("2024-01-03", "2024-01-12")),
        "Montant": (EUROS, number(1150.5, 1570.75)),
        "Payé": (("non", "oui", "oui"), yes_no("non", "oui")),
        "Risque": (("faible", "moyen", "élevé"), order("faible", "moyen", "élevé")),
    },
    Text("LibreOffice, all texts quoted, cells with line breaks", "calc.csv", header=QUOTED): {
        "Name": (('"Müller, Eva"', '"Li ""Leo"" Wu"', '"Ng"'), text("Müller, Eva", 'Li "Leo" Wu', "Ng")),
        "Day": (days("2024-02-20", '"%d.%m.%y"'), date("2024-02-20", "2024-02-29")),
        "Hours": (("7.25", "8.5", "9.25", "10.5"), number(7.25, 8.5)),
        "Done": (("FALSE", "TRUE"), yes_no("FALSE", "TRUE")),
        "Note": (('"first line\nsecond line"', '"ok"'), text("first line\nsecond line", "ok")),
    },
    Text(
        "a German bank's statement: lines above, S and H for − and +", "umsaetze.csv", ";", asks=("S/H",), **BANK
    ): {
        "Buchungstag": (days("2024-01-02", "%d.%m.%y", step=3), date("2024-01-02", "2024-01-05")),
        "Wertstellung": (days("2024-01-02", "%d.%m.%y", step=3), date("2024-01-02")),
        "Empfänger": (("REWE SAGT DANKE", "Stadtwerke", "Gehalt ACME", "Miete"), text("REWE SAGT DANKE")),
        "IBAN": (IBANS, text("DE02120300000000202051")),
        "Betrag": (series(german, 12.5, 301.75), number(12.5, 314.25)),
        "Währung": (("EUR",), unused()),
        "S/H": ("SSHS", text("S", "S", "H", "S")),
    },
    Text("a bank's statement with real minus signs", "konto.csv", ";"): {
        "Datum": (days("2024-01-02", "%d.%m.%Y", step=3), date("2024-01-02")),
        "Text": (("Bäcker", "Bahn", "Lohn"), text("Bäcker")),
        "Betrag": (SIGNED, number(1012.5, -1214.25)),
        "Saldo": (series(german, 6975, -403.5), number(6975)),
    },
    Text("a British bank's statement (CR, DR behind the amounts)", "statement.csv", above=ACCOUNT, end="\r\n"): {
        "Date": (days("2024-01-02", "%d/%m/%Y", step=4), date("2024-01-02", "2024-01-06")),
        "Type": (("POS", "DD", "BGC", "ATM"), text("POS")),
        "Amount": ([f'"{1012.5 + 91.75 * i:,.2f} {("DR", "DR", "CR", "DR")[i % 4]}"' for i in range(N)], asked()),
        "Balance": (series('"{:,.2f} CR"', 6012.5, 91.75), asked()),
    },
    Text("SAP: minus behind, zeros before", "liste.txt", "\t", asks=("decimal",), target="ME", **WINDOWS): {
        "Beleg": (series("{:012d}", 4500000000, 17), text("004500000000", "004500000017")),
        "Datum": (days("2024-01-02", "%d.%m.%Y"), date("2024-01-02")),
        "Betrag": ([f"{german(1234.5 + 17 * i)}{'-' * (i % 3 == 1)}" for i in range(N)], asked()),
        "ME": (("KG", "ST"), text("KG", "ST")),
        "Menge": ([german(2.5 + i, 3) for i in range(N)], asked()),
    },
    Text("Excel in German: months by their names", "termine.csv", ";", **WINDOWS): {
        "Termin": ([f"{d:%d}-{name}-{d:%y}" for d, name in MOMENTS], date("2024-01-02", "2024-01-19")),
        "am": ([f"{d.day}. {name} {d.year}" for d, name in MOMENTS], date("2024-01-02", "2024-01-19")),
        "Monat": ([name for _, name in MOMENTS], order(*NAMES)),
        "Wert": (series(german, 0, 0.25), number(0, 0.25)),
    },
}
