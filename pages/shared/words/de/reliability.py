"""Texte der Seite „Verlässlichkeit“."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import number

TITLE = "Wann sollte ein Modell lieber nicht antworten?"
INTRODUCTION = (
    "Ein Modell, das weiß, was es nicht weiß, überlässt seine zweifelhaften Zeilen einer Fachperson und hat "
    "beim Rest öfter recht. Jedes Modell wird nach Zeilen gefragt, die es nicht kennt."
)
CHOOSE_A_MODEL = "Oben mindestens ein Modell wählen."
NONE_COULD_BE_ASKED = "Keines dieser Modelle ließ sich befragen; jeder Platz oben sagt, warum."
BEGIN = "Befragen"
TO_NEW_ROWS = "Was ein Modell zu neuen Zeilen sagt"


DOUBT = (
    "Zweifel wird gemessen an",
    "- **Woraus er besteht.** Die Streuung σ eines kultivierten Baums, die Stimmen eines Waldes, das Blatt eines "
    "einzelnen Baums.\n"
    "- **Dem Anteil der Antwort.** 1 − der Anteil, den das Modell seiner Klasse gibt: die übliche Art, zum "
    "Vergleich.",
)
DOUBT_OWN = "woraus er besteht"
DOUBT_SHARE = "dem Anteil der Antwort"
GOAL_ANSWER, GOAL_RISK, GOAL_RISK_OF_NUMBERS, GOAL_COST = (
    "viel antworten",
    "recht haben",
    "nah dran sein",
    "sparen",
)
EVERY_UNIT = "Jede Einheit daneben kostet"
GOAL_HELP = {
    "goal": (
        "Das Ziel",
        "Ab wann nicht mehr geantwortet wird und die Zeile an eine Fachperson geht. Die Schwelle wird an "
        "einigen Folds gewählt und an einem anderen beurteilt, damit sie sich nicht selbst schmeichelt. "
        "*Fachwort:* Arbeitspunkt.",
    ),
    "answer": (
        "Anteil beantworteter Zeilen, in Prozent",
        "Die am wenigsten bezweifelten Zeilen. *Fachwort:* Abdeckung (coverage).",
    ),
    "right": (
        "Richtig von den beantworteten, mindestens (in Prozent)",
        "So viele Zeilen werden beantwortet, wie das an den Folds erlaubt, die wählen.",
    ),
    "confident": (
        "Für neue Zeilen versprechen, mit 90 % Sicherheit",
        "Ohne Versprechen ist die Schwelle für die vorhandenen Zeilen gerade gut genug, und neue Zeilen können "
        "das Ziel etwa jedes zweite Mal verfehlen. Mit ihm werden weniger Zeilen beantwortet, und von zehn "
        "solchen Versprechen werden im Mittel mindestens neun gehalten, wenn neue Zeilen wie diese sind. "
        "*Fachwörter:* risk control, learn then test.",
    ),
    "off": (
        "Mittlerer Fehler, höchstens",
        "In der Einheit des Ziels. So viele Zeilen werden beantwortet, wie das an den Folds erlaubt, die wählen.",
    ),
    "wrong": (
        "Eine falsche Antwort kostet",
        "In beliebiger Einheit, etwa Euro oder Stunden; bei jedem Fehler dasselbe.",
    ),
    "expert": (
        "Eine Fachperson zu fragen kostet",
        "In derselben Einheit; angenommen wird, dass diese recht hat.",
    ),
}
AMONG_ANSWERED = "bei den Zeilen, die es selbst beantwortet"
BY_THRESHOLD = "**Nach der Schwelle für den Zweifel**"
DO_THEY_KNOW = "Wie gut wissen sie, was sie nicht wissen? Wie wird Zweifel gemessen?"
AURC = "Die erste Zahl ist die Fläche unter der Kurve von Risiko und Abdeckung (AURC). Weniger ist besser."
SAVE_CURVES = "Kurven (.csv)"


def judged(thresholds: Sequence[tuple[str, str]], is_promised: bool) -> str:
    parts = "; ".join(f"{title}: {threshold}" for title, threshold in thresholds)
    how = "Beurteilt an Folds, die die Schwelle nicht gewählt haben; in Klammern das 95-%-Intervall"
    if is_promised:
        how = (
            "Die Schwelle wird an allen Zeilen gewählt und an denselben beurteilt. Die Sicherheit von 90 % "
            "berücksichtigt das, das 95-%-Intervall in Klammern nicht"
        )
    return f"{how}. Für neue Zeilen: {parts}."


def answered(is_classification: bool) -> str:
    what = "Richtig von dem, was beantwortet wird" if is_classification else "Mittlerer Fehler des Beantworteten"
    return f"**{what}, wenn die am meisten bezweifelten Zeilen an eine Fachperson gehen**"


def answered_curves(is_classification: bool) -> str:
    dotted = (
        " Gepunktete Linien in der Farbe des Modells: der Anteil derselben Zeilen, den man richtig hätte, wenn "
        "man immer die häufigste Klasse sagte."
    )
    return (
        "Weiter links gehen mehr Zeilen an eine Fachperson. Die größeren Zeichen stehen dort, wohin das Ziel "
        "führt; Bänder sind 95-%-Intervalle, so wie die Folds sich unterscheiden." + dotted * is_classification
    )


def threshold_curves(is_classification: bool) -> str:
    of_classes = "richtig von den beantworteten (gepunktet: immer die häufigste Klasse)"
    of_numbers = "mittlerer Fehler der beantworteten (Achse rechts)"
    return (
        f"Durchgezogen: {of_classes if is_classification else of_numbers}. Gestrichelt: beantworteter Anteil. "
        "Eine Zeile wird beantwortet, wenn ihr Zweifel höchstens die Schwelle ist; die senkrechte Linie ist "
        "die Schwelle zum Ziel. Nach Bild 4 von Nalenz & Augustin (2021)."
    )


MORE_DOUBT = "#### Bedeutet mehr Zweifel mehr Fehler?"
STEPS = (
    "Die Zeilen in zehn Stufen wachsenden Zweifels. Je steiler eine Linie steigt, desto mehr sagen ihre Zweifel."
)
CALIBRATION = (
    "Von den Zeilen, bei denen ein Modell seiner Klasse 80 % gibt, sollten 80 % von dieser Klasse sein: Auf der "
    "gepunkteten Linie sind sie es. Große Punkte haben viele Zeilen, blasse weniger als 10; Balken sind "
    "95-%-Intervalle."
)
EXPERTS = "#### Zeilen für eine Fachperson"
WHOSE_ROWS = ("Wessen Zeilen", "Das Modell, dessen Zweifel hier stehen und dessen Geschichte unten erzählt wird.")
THE_MODEL = "Das Modell"
NOTHING_TO_HAND_OVER = "Bei diesem Ziel beantwortet das Modell jede Zeile: Es gibt nichts abzugeben."
SAVE_EXPERTS = "Zeilen für Fachpersonen (.csv)"
EXPERTS_ALT = "Zeilen, die das Modell einer Fachperson gäbe, mit Gründen"


def still_at_work(title: str) -> str:
    return f"{title} arbeitet noch; die Zeilen kommen, wenn es fertig ist."


TICK = " Ein Häkchen zeigt die Geschichte einer Zeile."


def rows_for_experts(n: int, most: int, is_repeated: bool, on_paper: bool = False) -> str:
    rows = f"Die {most} am meisten bezweifelten von {n} Zeilen" if n > most else f"{n} Zeile{'n' * (n != 1)}"
    return (
        f"{rows}, die am meisten bezweifelte zuerst{', in der ersten der Wiederholungen' * is_repeated}."
        f"{'' if on_paper else TICK} Die Wahrheit ist hier bekannt, denn es sind Zeilen der "
        "Tabelle; bei neuen wäre sie es nicht."
    )


UNSETTLED = "Die Zeilen, deren Klasse nicht feststeht"
AS_GOOD_NOT_COUNTED = (
    "Ob andere, gleich gute Bäume anders antworten, wurde nicht gezählt: Dazu muss die Suche bewiesen sein, ohne "
    "Richtungen von Spalten, und es dürfen nicht zu viele Bäume sein. Eine kleinere Tiefe oder weniger Fragen je "
    "Spalte helfen."
)


def all_settled(n_rows: str, within: str) -> str:
    return (
        f":material/check_circle: Auf allen {n_rows} Zeilen sind sich die Bäume einig, die so gut sind wie der "
        f"optimale (höchstens {within} der Trainingszeilen mehr falsch)."
    )


def unsettled(n: str, n_rows: str, share: str, within: str) -> str:
    return (
        f":material/call_split: **Die Klasse von {n} von {n_rows} Zeilen ({share}) steht nicht fest**: Von den "
        f"Bäumen, die so gut sind wie der optimale (höchstens {within} der Trainingszeilen mehr falsch), geben "
        "ihnen manche eine andere Klasse. Die Trainingszeilen sagen nicht, welcher dieser Bäume recht hat; eine "
        "Fachperson vielleicht."
    )


def wrong_of_unsettled(share: str, share_of_others: str) -> str:
    return f"Von ihnen beantwortet das Modell {share} falsch, von den anderen {share_of_others}."


def unsettled_caption(is_cut: bool, most: str) -> str:
    return (
        f"{f'Die ersten {most} Zeilen. ' * is_cut}Für jede Zeile werden alle gleich guten Bäume gefragt, die ohne "
        "sie gewachsen sind, über alle Fragen der Suche, oder über etwa zehn je Spalte, wo es zu viele solche "
        "Bäume sind oder Blätter eine Mindestgröße haben. Ein Häkchen zeigt die Geschichte einer Zeile. "
        "*Fachwort:* predictive multiplicity (Marx, Calmon & Ustun 2020)."
    )


STORY = "#### Die Geschichte einer Zeile"
MOST_DOUBTED = "Am meisten bezweifelt"
MOST_DOUBTED_HELP = "Die Zeile, bei der es am meisten zweifelt"
CHOOSE_A_ROW = (
    "Ein Häkchen in der Liste oben oder die Nummer einer Zeile zeigt, warum das Modell zu ihr sagt, was es sagt."
)
NOT_ASKED = "Das Modell wurde angehalten, bevor es nach dieser Zeile gefragt wurde."
LOOKING = "Die kleinste Änderung wird gesucht …"
ASKING = "Das Modell wird entlang jeder Spalte befragt …"
WHY = "**Warum**"
LEAVES = "Ein Teil für jedes Blatt, in dem sie ist, so breit wie ihr Bruchteil, in der Farbe dessen, was es sagt."
NEARLY_WON = "**Was beinahe gewonnen hätte**"
CAME_SECOND = "**Was an zweiter Stelle kam**"
CELLS = "Eine Zelle für jeden Baum, in der Farbe seiner Klasse; unterstrichen, wo sie falsch ist."
DOTS = "Ein Punkt für jeden Baum."


def parts(link: str) -> str:
    """Caption of the bars: what each column adds."""
    if link in ("logistic", "softmax"):
        counted = "in Log-Odds, dem Wert, aus dem der Anteil wird"
    elif link == "log":
        counted = "zum Logarithmus der Antwort"
    else:
        counted = "neben dem, was das Modell sagt, bevor es eine Spalte kennt"
    return (
        f"Was der Wert jeder Spalte zur Antwort beiträgt (rechts) oder wegnimmt (links), {counted}. Alle zusammen "
        "führen zur Antwort. *Fachwort:* Shapley-Werte (SHAP)."
    )


def headline(row: str, model: str, answer: str, truth: str) -> str:
    return f"{row}: **{model}** sagt **{answer}**; in Wahrheit ist es **{truth}**."


def doubt(value: float, measure: str) -> str:
    return f"Der Zweifel ist {number(value)} ({measure}). Das Modell kennt diese Zeile nicht."


def way(is_cultivated: bool) -> str:
    most = "Was sie am meisten aufteilt. " * is_cultivated
    return f"{most}Der Punkt ist diese Zeile, auf der Spannweite der Spalte; grau ist, wo geschnitten wird."


CHANGES = "**Was die Antwort ändern würde**"
MAY_CHANGE = "Was sich ändern darf"
BY_FEATURE = "Spalte für Spalte"
BY_FEATURE_ALT = "Für jede Spalte die kleinste Änderung, die allein genügt"
NONE = "keine"
CHANGES_OF_ROW = "Was würde die Antwort auf diese Zeile ändern?"
NO_PLANE = "Die Region of Recourse braucht eine Änderung, zwei Spalten und in dieser Zeile die Werte beider."
ANY_OTHER = "irgendeine andere Antwort"
SIDES = {"greater": "eine größere Zahl", "smaller": "eine kleinere Zahl"}
FROM, TO, NO_LIMIT = "von", "bis", "keine Grenze"
SEARCH = "Die Suche nach der kleinsten Änderung"
SEARCH_STOPPED = "Die Suche wurde angehalten: Zu sehen ist, was sie gefunden hatte."
CHANGE_HELP = {
    "keep": ("Bleiben, wie sie sind", "Was niemand ändern kann, etwa ein Alter oder ein Geburtsort."),
    "up": ("Dürfen nur steigen", "Etwa Berufsjahre: Eine Änderung, die sie verringert, wird nicht angeboten."),
    "down": ("Dürfen nur fallen", "Etwa Schulden: Eine Änderung, die sie vermehrt, wird nicht angeboten."),
    "within": (
        "Dürfen sich nur ändern zwischen",
        "Die kleinste und die größte Zahl, die erlaubt ist, in der Einheit der Spalte. Eine Spalte darf immer "
        "bleiben, wie sie ist, und kein Wert verlässt den Bereich der Tabelle.",
    ),
    "toward": (
        "Die Änderung soll führen zu",
        "Findet die kleinste Änderung, die zu dieser Antwort führt, und beweist, dass keine kleinere es tut; oder "
        "beweist, dass nichts, was sich ändern darf, dorthin führt.",
    ),
}
PLAUSIBLE = (
    "Angeboten werden nur Werte, für die die Tabelle Raum hat: Zahlen zwischen der kleinsten und der größten "
    "darin, ganze Zahlen als ganze, Kategorien unter den vorkommenden. Die kleinste Änderung ist die der "
    "wenigsten Spalten; darunter die, die sie am wenigsten bewegt, jede als Teil ihrer Spannweite."
)


def not_asked_here(names: Sequence[str]) -> str:
    return f"Auch gewählt, aber dieses Modell fragt nicht danach: {', '.join(names)}."


def no_longer_limited(names: Sequence[str]) -> str:
    gone = ", ".join(names)
    return f"Grenzen für Änderungen sind entfallen, denn die Tabelle hat diese Spalten nicht mehr: {gone}."


def form_of_ranges(n: int) -> str:
    return f"eine Spalte von 1 bis {n}, ihr kleinster und größter Wert, wie 3~10~20.5, mit * zwischen Spalten"


def empty_range(name: str, low: float, high: float) -> str:
    return (
        f"**{name}**: Von {number(low)} bis {number(high)} gibt es keine Zahl, daher gilt dieser Bereich "
        "nicht. Die erste Zahl muss die kleinere sein."
    )


def search_longer(seconds: int) -> str:
    return f"Bis zu {seconds} Sekunden lang suchen"


def searching(seconds: float, most: int) -> str:
    return f"Kleinere Änderungen werden ausgeschlossen, {seconds:.0f} von höchstens {most} s"


def recourse(is_classification: bool) -> str:
    strong = (
        "eine andere Klasse gesagt würde" if is_classification else "eine Zahl weit genug entfernt gesagt würde"
    )
    return (
        "Der volle Punkt ist diese Zeile, der offene ihre nächste Änderung. Die Farben sind kräftig, wo "
        f"{strong}, schwach, wo nicht, und fast verschwunden, wohin diese Zeile nicht darf. Alles andere bleibt. "
        "*Fachwort:* Region of Recourse."
    )


def strips(is_classification: bool) -> str:
    colour = "in der Farbe der Klasse, die gesagt würde" if is_classification else "je kräftiger, desto größer"
    return f"Entlang jeder Spalte, was gesagt würde, alles andere gleich, {colour}; das Zeichen ist diese Zeile."


def form_of_features(n: int) -> str:
    return f"Nummern von Spalten von 1 bis {n}, mit Punkten dazwischen"


AGAIN = "**Würde es dasselbe sagen, wären die Daten noch einmal gezogen?**"
AGAIN_MODELS = (
    "Jedes Modell hat aus Zeilen gelernt, die neu aus den anderen Folds gezogen sind. *Fachwort:* Bootstrap."
)
NOT_GROWN_AGAIN = "Das Modell konnte nicht noch einmal wachsen."
THE_STORY = "Die Geschichte"


def stopped(n: int, most: int) -> str:
    return f"Angehalten nach {n} von {most} Modellen auf neu gezogenen Daten."


def growing(seconds: float) -> str:
    return f"Das Modell, das diese Zeile nicht kennt, wächst, bisher {seconds:.0f} s"


def redrawing(n: int, most: int) -> str:
    return f"Die Daten werden neu gezogen: Modell {n} von {most}"
