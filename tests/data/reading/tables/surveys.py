"""Tables of surveys and studies: forms, scales, exports of questionnaire tools."""

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

QUALTRICS = {
    "StartDate": date("2024-01-05T10:15:00", "2024-01-14T10:15:00"), "Progress": number(100, 80),
    "Finished": yes_no("False", "True"), "ResponseId": unused(), "Q1": number(7, 9, 3),
    "Q2": order("Never", "Sometimes", "Always"),
}  # fmt: skip


@known
def google_forms_csv():
    question = "Which of these tools do you use? (Several answers are possible; please be honest!)"
    columns = turned(
        ("AM", "PM"), [f"p{i}@example.org" for i in range(N)],
        ("R;Excel", "Python", "R;Python;SPSS", "Excel", "SPSS", "R;SPSS", "Excel;SPSS"), (4, 5, 2),
        ("Never", "Sometimes", "Often", "Always"),
    )  # fmt: skip
    rows = [
        f'"2024/01/{5 + i % 20:02d} {1 + i % 12}:02:33 {half} GMT+1","{mail}","{tools}","{rating}","{often}"'
        for i, (half, mail, tools, rating, often) in enumerate(columns)
    ]
    content = lines(f'"Timestamp","Username","{question}","Rate it (1-5)","How often?"', *rows).encode()
    truth = {
        "Timestamp": date("2024-01-05T00:02:33", "2024-01-06T13:02:33"), "Username": unused(), question: asked(),
        "Rate it (1-5)": number(4, 5, 2), "How often?": order("Never", "Sometimes", "Often", "Always"),
    }  # fmt: skip
    return KnownTable("Google Forms, CSV: several answers parted by ;", "form.csv", content, N, truth)


@known
def google_forms_german():
    columns = turned(
        ("Bus, Rad", "Auto", "Rad", "Bus, Auto, zu Fuß", "Bus", "Auto, Rad"), ("Ja", "Nein"),
        ("1-2 mal", "3-5 mal", "mehr als 5 mal"),
    )  # fmt: skip
    rows = [
        f'{5 + i % 20:02d}.01.2024 10:02:{i:02d},"{tools}",{yn},{n}' for i, (tools, yn, n) in enumerate(columns)
    ]
    content = lines("Zeitstempel,Womit fahren Sie?,Zufrieden?,Wie oft?", *rows).encode()
    truth = {
        "Zeitstempel": date("2024-01-05T10:02:00", "2024-01-06T10:02:01"), "Womit fahren Sie?": asked(),
        "Zufrieden?": yes_no("Nein", "Ja"), "Wie oft?": order("1-2 mal", "3-5 mal", "mehr als 5 mal"),
    }  # fmt: skip
    return KnownTable("a form in German: several answers parted by commas", "formular.csv", content, N, truth)


@known
def likert_english():
    agree = (
        "Strongly disagree", "Somewhat disagree", "Neither agree nor disagree", "Somewhat agree", "Strongly agree",
    )  # fmt: skip
    sure = (
        "Not at all confident", "Slightly confident", "Moderately confident", "Very confident",
        "Extremely confident",
    )  # fmt: skip
    ages = ("Under 18", "18-24", "25-34", "35-44", "45 or older")
    columns = turned(
        turns(agree), turns(sure, N)[::-1], turns(ages[::-1]),
        ("Very dissatisfied", "Satisfied", "Very satisfied", "Neither satisfied nor dissatisfied", "Dissatisfied"),
        ("Prefer not to say", "Yes", "No"),
    )  # fmt: skip
    rows = [",".join(cells) for cells in columns]
    content = lines("easy,confident,age,satisfied,own", *rows).encode()
    truth = {
        "easy": order(*agree), "confident": order(*sure), "age": order(*ages),
        "satisfied": order(
            "Very dissatisfied", "Dissatisfied", "Neither satisfied nor dissatisfied",
            "Satisfied", "Very satisfied",
        ),
        "own": text("Prefer not to say", "Yes", "No"),
    }  # fmt: skip
    return KnownTable("Likert scales in English", "likert.csv", content, N, truth)


@known
def likert_german():
    agree = (
        "stimme überhaupt nicht zu", "stimme eher nicht zu", "teils/teils", "stimme eher zu",
        "stimme voll und ganz zu",
    )  # fmt: skip
    good = ("sehr unzufrieden", "unzufrieden", "weder noch", "zufrieden", "sehr zufrieden")
    true = ("trifft nicht zu", "trifft eher nicht zu", "trifft eher zu", "trifft zu")
    often = ("nie", "selten", "gelegentlich", "oft", "sehr oft", "immer")
    ages = ("unter 18", "18–24", "25–34", "35–44", "45 und älter")
    rows = [
        ";".join(cells)
        for cells in zip(*map(turns, (agree, good, true, often, ages, ("m", "w", "d"))), strict=True)
    ]
    content = lines("leicht;zufrieden;passt;wie oft;Alter;Geschlecht", *rows).encode("cp1252")
    truth = {
        "leicht": order(*agree), "zufrieden": order(*good), "passt": order(*true), "wie oft": order(*often),
        "Alter": order(*ages), "Geschlecht": text("m", "w", "d"),
    }  # fmt: skip
    return KnownTable("Likert-Skalen auf Deutsch", "umfrage.csv", content, N, truth)


@known
def limesurvey():
    columns = turned(
        days("2024-01-05"), ("A1", "A3", "A2", "A5", "A4"), ("Y", "N", "Y", ""), ("Y", "N"), ("Y", "", ""),
        ("34", "51", "N/A"),
    )  # fmt: skip
    rows = [
        f'"{i}","{d} 10:15:00","8","de","{a}","{y}","{m1}","{m2}","{n}"'
        for i, (d, a, y, m1, m2, n) in enumerate(columns, 1)
    ]
    header = (
        "id", "submitdate", "lastpage", "startlanguage", "G01Q01", "G01Q02", "G01Q03[SQ001]", "G01Q03[SQ002]",
        "age",
    )  # fmt: skip
    content = lines(",".join(f'"{h}"' for h in header), *rows).encode("utf-8-sig")
    truth = {
        "id": unused(), "submitdate": date("2024-01-05T10:15:00"), "lastpage": unused(), "startlanguage": unused(),
        "G01Q01": text("A1", "A3"), "G01Q02": yes_no("N", "Y"), "G01Q03[SQ001]": yes_no("N", "Y"),
        "G01Q03[SQ002]": asked(), "age": number(34, 51, None),
    }  # fmt: skip
    return KnownTable(
        "LimeSurvey, codes; a choice is Y or empty", "results.csv", content, N, truth, target="G01Q01"
    )


@known
def qualtrics():
    names = ",".join(QUALTRICS)
    texts = 'Start Date,Progress,Finished,Response ID,"How likely are you, on a scale of 0 to 10?",How often?'
    ids = ",".join(
        '"{""ImportId"":""' + name + '""}"'
        for name in ("startDate", "progress", "finished", "_recordId", "QID1", "QID2")
    )
    columns = turned(days("2024-01-05"), (100, 80), (7, 9, 3), ("Never", "Sometimes", "Always"))
    rows = [f"{d} 10:15:00,{p},{p == 100},R_{i}x{i * i},{q},{o}" for i, (d, p, q, o) in enumerate(columns)]
    return KnownTable(
        "Qualtrics: three rows of names", "qualtrics.csv", lines(names, texts, ids, *rows).encode(), N, QUALTRICS
    )


@known
def redcap():
    columns = turned(
        ("baseline_arm_1", "month_3_arm_1"), ("1", "1", "2", "2"), days("2023-05-02"), (0, 1), (1, 0, 0),
        (1, 0, ""), (2, 0, 1), (71.5, 70, "", 88.2),
    )  # fmt: skip
    rows = [
        f"{i // 2 + 1},{event},{arm},{d},{a},{b},{y},{c},{weight}"
        for i, (event, arm, d, a, b, y, c, weight) in enumerate(columns)
    ]
    header = "record_id,redcap_event_name,arm,visit_date,drugs___1,drugs___2,smoker,baseline_complete,weight"
    content = lines(header, *rows).encode()
    truth = {
        "record_id": number(1, 1, 2), "redcap_event_name": text("baseline_arm_1"), "arm": number(1, 1, 2),
        "visit_date": date("2023-05-02"), "drugs___1": yes_no("0", "1"), "drugs___2": yes_no("0", "1"),
        "smoker": yes_no("0", "1"), "baseline_complete": number(2, 0, 1), "weight": number(71.5, 70, None, 88.2),
    }  # fmt: skip
    return KnownTable(
        "REDCap: events, checkboxes, complete 0 to 2", "redcap.csv", content, N, truth, target="smoker"
    )


@known
def survey_with_ranges():
    columns = turned(
        ("18-24", "25-34", "65+", "35-64"),
        ("$25,000 - $49,999".replace(",", ""), "Less than $25000", "$50000 or more"), ("1", "2", "3", "4+"),
        ("<1", "1-5", "6-10", ">10"),
    )  # fmt: skip
    rows = [f"{i},{age},{income},{size},{years}" for i, (age, income, size, years) in enumerate(columns, 1)]
    content = lines("id,age,income,household,years", *rows).encode()
    truth = {
        "id": unused(), "age": order("18-24", "25-34", "35-64", "65+"),
        "income": order("Less than $25000", "$25000 - $49999", "$50000 or more"),
        "household": order("1", "2", "3", "4+"), "years": order("<1", "1-5", "6-10", ">10"),
    }  # fmt: skip
    return KnownTable("ranges of ages and incomes, 4+", "ranges.csv", content, N, truth)


@known
def clinic_form():
    """Boxes that are checked or empty, two numbers in a cell, quarters, lengths of time in words."""
    pressures = ("120/80", "135/85", "118/79", "142/95", "110/70")
    columns = turned(
        turns(pressures), ("x", "", ""), ("Checked", "Unchecked"), ("2023-Q4", "2024-Q1", "2024-Q2"),
        ("none", "mild", "severe", "moderate"), ("24.1", "31.7", "22,9"),
    )  # fmt: skip
    rows = [
        f"{i},{bp},{asthma},{drug},{quarter},{pain},{bmi}"
        for i, (bp, asthma, drug, quarter, pain, bmi) in enumerate(columns, 1)
    ]
    tabs = lines("id,pressure,asthma,drug,quarter,pain,BMI", *rows).replace(",", "\t")
    content = tabs.replace("2\t9", "2,9").encode()
    truth = {
        "id": unused(), "pressure": asked(), "asthma": asked(), "drug": yes_no("Unchecked", "Checked"),
        "quarter": order("2023-Q4", "2024-Q1", "2024-Q2"), "pain": order("none", "mild", "moderate", "severe"),
        "BMI": asked(),
    }  # fmt: skip
    return KnownTable("a clinic's form: 120/80, boxes that are checked or empty", "clinic.tsv", content, N, truth)
