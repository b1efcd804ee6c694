"""Tables of surveys and studies: forms, scales, exports of questionnaire tools."""

from tests.data.reading.tables.making import N, Text, days, series, turns
from tests.data.reading.tables.truth import asked, date, number, order, text, unused, yes_no

QUESTIONS = 'Start Date,Progress,Finished,Response ID,"How likely are you, on a scale of 0 to 10?",How often?'
IDS = ("startDate", "progress", "finished", "_recordId", "QID1", "QID2")
IMPORT_IDS = ",".join('"{""ImportId"":""' + name + '""}"' for name in IDS)
MOMENTS = [f"2024/01/{5 + i % 20:02d} {1 + i % 12}:02:33 {('AM', 'PM')[i % 2]} GMT+1" for i in range(N)]
GERMAN_MOMENTS = [f"{5 + i % 20:02d}.01.2024 10:02:{i:02d}" for i in range(N)]
WAYS = ('"Bus, Rad"', '"Auto"', '"Rad"', '"Bus, Auto, zu Fuß"', '"Bus"', '"Auto, Rad"')
TOOLS = ("R;Excel", "Python", "R;Python;SPSS", "Excel", "SPSS", "R;SPSS", "Excel;SPSS")
OFTEN = ("Never", "Sometimes", "Often", "Always")
HOW_OFTEN = ("1-2 mal", "3-5 mal", "mehr als 5 mal")
EASY = ("Strongly disagree", "Somewhat disagree", "Neither agree nor disagree", "Somewhat agree", "Strongly agree")
SURE = [f"{degree} confident" for degree in ("Not at all", "Slightly", "Moderately", "Very", "Extremely")]
AGES = ("Under 18", "18-24", "25-34", "35-44", "45 or older")
NEITHER = "Neither satisfied nor dissatisfied"
SATISFIED = ("Very dissatisfied", "Dissatisfied", NEITHER, "Satisfied", "Very satisfied")
SCALES = {
    "leicht": (
        "stimme überhaupt nicht zu", "stimme eher nicht zu", "teils/teils", "stimme eher zu",
        "stimme voll und ganz zu",
    ),
    "zufrieden": ("sehr unzufrieden", "unzufrieden", "weder noch", "zufrieden", "sehr zufrieden"),
    "passt": ("trifft nicht zu", "trifft eher nicht zu", "trifft eher zu", "trifft zu"),
    "wie oft": ("nie", "selten", "gelegentlich", "oft", "sehr oft", "immer"),
    "Alter": ("unter 18", "18–24", "25–34", "35–44", "45 und älter"),
}  # fmt: skip
INCOMES = ("Less than $25000", "$25000 - $49999", "$50000 or more")

TEXTS = {
    Text("Google Forms, CSV: several answers parted by ;", "form.csv", quote='"'): {
        "Timestamp": (MOMENTS, date("2024-01-05T00:02:33", "2024-01-06T13:02:33")),
        "Username": (series("p{}@example.org", 0), unused()),
        "Which of these tools do you use? (Several answers are possible; please be honest!)": (TOOLS, asked()),
        "Rate it (1-5)": ((4, 5, 2), number(4, 5, 2)),
        "How often?": (OFTEN, order(*OFTEN)),
    },
    Text("a form in German: several answers parted by commas", "formular.csv"): {
        "Zeitstempel": (GERMAN_MOMENTS, date("2024-01-05T10:02:00", "2024-01-06T10:02:01")),
        "Womit fahren Sie?": (WAYS, asked()),
        "Zufrieden?": (("Ja", "Nein"), yes_no("Nein", "Ja")),
        "Wie oft?": (HOW_OFTEN, order(*HOW_OFTEN)),
    },
    Text("Likert scales in English", "likert.csv"): {
        "easy": (EASY, order(*EASY)),
        "confident": (turns(SURE)[::-1], order(*SURE)),
        "age": (AGES[::-1], order(*AGES)),
        "satisfied": ([SATISFIED[i] for i in (0, 3, 4, 2, 1)], order(*SATISFIED)),
        "own": (("Prefer not to say", "Yes", "No"), text("Prefer not to say", "Yes", "No")),
    },
    Text("Likert-Skalen auf Deutsch", "umfrage.csv", ";", encoding="cp1252"): {
        **{name: (scale, order(*scale)) for name, scale in SCALES.items()},
        "Geschlecht": (("m", "w", "d"), text("m", "w", "d")),
    },
    Text("LimeSurvey: a choice is Y or empty", "results.csv", target="G01Q01", quote='"', encoding="utf-8-sig"): {
        "id": (series("{}", 1), unused()),
        "submitdate": (days("2024-01-05", "%Y-%m-%d 10:15:00"), date("2024-01-05T10:15:00")),
        "lastpage": ("8", unused()),
        "startlanguage": (("de",), unused()),
        "G01Q01": (("A1", "A3", "A2", "A5", "A4"), text("A1", "A3")),
        "G01Q02": (("Y", "N", "Y", ""), yes_no("N", "Y")),
        "G01Q03[SQ001]": (("Y", "N"), yes_no("N", "Y")),
        "G01Q03[SQ002]": (("Y", "", ""), asked()),
        "age": (("34", "51", "N/A"), number(34, 51, None)),
    },
    Text("Qualtrics: three rows of names", "qualtrics.csv", under=(QUESTIONS, IMPORT_IDS)): {
        "StartDate": (days("2024-01-05", "%Y-%m-%d 10:15:00"), date("2024-01-05T10:15:00", "2024-01-14T10:15:00")),
        "Progress": ((100, 80), number(100, 80)),
        "Finished": ((True, False), yes_no("False", "True")),
        "ResponseId": ([f"R_{i}x{i * i}" for i in range(N)], unused()),
        "Q1": ((7, 9, 3), number(7, 9, 3)),
        "Q2": (("Never", "Sometimes", "Always"), order("Never", "Sometimes", "Always")),
    },
    Text("REDCap: events, checkboxes, complete 0 to 2", "redcap.csv", target="smoker"): {
        "record_id": ([i // 2 + 1 for i in range(N)], number(1, 1, 2)),
        "redcap_event_name": (("baseline_arm_1", "month_3_arm_1"), text("baseline_arm_1")),
        "arm": (("1", "1", "2", "2"), number(1, 1, 2)),
        "visit_date": (days("2023-05-02"), date("2023-05-02")),
        "drugs___1": ((0, 1), yes_no("0", "1")),
        "drugs___2": ((1, 0, 0), yes_no("0", "1")),
        "smoker": ((1, 0, ""), yes_no("0", "1")),
        "baseline_complete": ((2, 0, 1), number(2, 0, 1)),
        "weight": ((71.5, 70, "", 88.2), number(71.5, 70, None, 88.2)),
    },
    Text("ranges of ages and incomes, 4+", "ranges.csv"): {
        "id": (series("{}", 1), unused()),
        "age": (("18-24", "25-34", "65+", "35-64"), order("18-24", "25-34", "35-64", "65+")),
        "income": ([INCOMES[i] for i in (1, 0, 2)], order(*INCOMES)),
        "household": (("1", "2", "3", "4+"), order("1", "2", "3", "4+")),
        "years": (("<1", "1-5", "6-10", ">10"), order("<1", "1-5", "6-10", ">10")),
    },
    Text("a clinic's form: 120/80, boxes that are checked or empty", "clinic.tsv", "\t"): {
        "id": (series("{}", 1), unused()),
        "pressure": (("120/80", "135/85", "118/79", "142/95", "110/70"), asked()),
        "asthma": (("x", "", ""), asked()),
        "drug": (("Checked", "Unchecked"), yes_no("Unchecked", "Checked")),
        "quarter": (("2023-Q4", "2024-Q1", "2024-Q2"), order("2023-Q4", "2024-Q1", "2024-Q2")),
        "pain": (("none", "mild", "severe", "moderate"), order("none", "mild", "moderate", "severe")),
        "BMI": (("24.1", "31.7", "22,9"), asked()),
    },
}
