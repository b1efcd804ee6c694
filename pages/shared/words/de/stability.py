"""Texte der Seite „Stabilität“."""

from __future__ import annotations

from espalier.views.theme import count, number, percent

TITLE = "Käme derselbe Baum noch einmal heraus?"
INTRODUCTION = (
    "Die Daten werden wieder und wieder gezogen, und jedes Verfahren lässt jedes Mal einen Baum wachsen. Je "
    "ähnlicher die Bäume, desto mehr ist auf ihre Fragen Verlass. Tiefe Bäume können sich in mehr "
    "unterscheiden, darum vergleicht man Verfahren gleicher Tiefe; und Bäume mit anderen Fragen können "
    "trotzdem gleich antworten: siehe „Übereinstimmung“ unten."
)
CHOOSE_A_LEARNER = "Oben mindestens ein Verfahren wählen; ein zweites zum Vergleich."
TABS = ("Spalten", "Schwellen", "Übereinstimmung", "Fläche")
LEARNER = "Verfahren"
WHY_TREES = (
    "\n\nHier gibt es nur einzelne Bäume: Stabilität fragt, ob dieselbe *Struktur* wieder herauskommt, dieselben "
    "Spalten und Schwellen, und ein Wald oder die Summe des Gradient Boosting hat keine eine Struktur zum "
    "Vergleich."
)


def heading(symbol: str, title: str) -> str:
    return f"**{symbol} {title}**"


CHANCE = "Zufall"
DRAW_HELP = {
    "redraw": (
        "Wie die Daten neu gezogen werden",
        "Bei einem Näherungsbaum zieht *Neue Startwerte* neue erfundene Fälle aus ein und derselben Blackbox.",
    ),
    "draws": (
        "Wie oft",
        "So viele Bäume wachsen je Verfahren, jeder auf neu gezogenen Daten. *Fachwort:* Replikate. Je mehr, "
        "desto sicherer sind die Anteile; die Zahl der Strukturen wächst mit.",
    ),
    "chance": ("Startwert der Ziehungen", "Eine andere Zahl zieht die Daten anders."),
    "same": ("Zwei Bäume sind gleich", ""),
    "near": (
        "Schwellen dürfen auseinander sein um",
        "In Prozent der Spannweite einer Spalte, von ihrem kleinsten Wert zum größten. *Fachwort:* Toleranz.",
    ),
    "down": (
        "Ebenen von Fragen",
        "Wie viele verglichen werden: nur die Frage der Wurzel, oder auch die darunter.",
    ),
}


def tolerance(is_neighbourhood: bool, widths: list[tuple[float, str]], has_more: bool) -> str:
    of_plain = (
        "Einfache Bäume bekommen die halbe Breite der Nachbarschaft, die die Wurzel eines solchen Baums hat:"
    )
    parts = ", ".join(f"{number(width, 2)} bei {name}" for width, name in widths)
    return f" {of_plain if is_neighbourhood else 'Auseinander höchstens um'} {parts}{' und so weiter' * has_more}."


GROW = "Wachsen lassen"


def much_to_do(n_trees: int, n_rows: int) -> str:
    return (
        f"{count(n_trees)} Bäume müssen auf je etwa {count(n_rows)} Zeilen wachsen. Mit weniger Ziehungen geht es "
        "schneller."
    )


def stopped(n: int, most: int, megabytes: int | None) -> str:
    text = f"Angehalten nach {count(n)} von {count(most)} Bäumen"
    if megabytes is None:
        return f"{text}."
    return (
        f"{text}: Alle zusammen dürfen {count(megabytes)} MB brauchen. Weniger Ziehungen helfen, oder eine "
        "kleinere Tiefe."
    )


def stopped_repetition(run: int) -> str:
    return f"Wiederholung {run}: "


def job(name: str, run: int) -> str:
    return f"**{name}**" + (f", Wiederholung {run}" if run else "")


def how_far(title: str, n: int, most: int) -> str:
    return f"{title}: {count(n)} von {count(most)} Bäumen"


FIRST_BARS = "Die ersten Balken kommen mit den ersten Bäumen."
REPEAT = "Mit anderen Ziehungen wiederholen"
REPEAT_HELP = "Eine Folge von Ziehungen kann Glück haben: dasselbe mit anderem Startwert, unter dem ersten"
ONLY_FIRST = "Nur die ersten Ziehungen"
ALL_LEVELS = "Alle Ebenen in Zahlen"
ALL_LEVELS_ALT = "Strukturen nach Verfahren und Ebene"
ALL_LEVELS_TERMS = (
    "*95-%-Intervall*: des Anteils, nach Wilson. *Entropie*: 0 bei einer Struktur, ein Bit bei zwei gleich "
    "häufigen. *Wahrscheinlichkeit einer neuen*: Anteil der Bäume, deren Struktur nur einmal herauskam."
)


def small(text: str) -> str:
    return f":small[{text}]"


def seed(value: int) -> str:
    return f"Ziehungen mit Startwert {value}"


def histogram(same: str, draws: str) -> str:
    return (
        "Jede Gruppe von Balken vergleicht die Bäume bis zu einer Ebene, von der Wurzel an. Ein Balken ist eine "
        "Struktur, seine Höhe der Anteil der Bäume, die sie haben; der kräftige Balken ist die häufigste. "
        f"*Wann zwei Bäume gleich sind:* {same} *Ziehungen:* {draws} Intervalle sagen, was mehr Ziehungen "
        "ändern würden, nicht, was eine andere Tabelle ändern würde."
    )


def draws(n_trees: int, kind: str, n_rows: int, n_runs: int) -> str:
    again = f", {n_runs}-mal" if n_runs > 1 else ""
    return (
        f"Jedes Histogramm beruht auf {count(n_trees)} Bäumen ({kind}) einer Tabelle von {count(n_rows)} "
        f"Zeilen{again}."
    )


def picture_title(title: str, n_trees: int) -> str:
    return f"{title}, {n_trees} Bäume"


def save_picture(symbol: str) -> str:
    return f"SVG {symbol}"


CLICK_A_BAR = ":material/touch_app: Ein Klick auf einen Balken zeigt seinen Baum."
CLOSE = "Schließen"
THIS_ONE = ":small[**Dieser**]"
MOST_FREQUENT = ":small[**Der häufigste**]"
FORM_OF_BAR = "vier Zahlen mit Punkten dazwischen: Verfahren, Wiederholung, Tiefe und Baum"


def structure(learner: str, rank: int, levels: str) -> str:
    place = "die häufigste Struktur" if rank == 1 else f"Struktur {rank}"
    return f"**{learner}: {place} {levels}**"


def trees_of_bar(n: int, n_trees: int, number_: int) -> str:
    return f"{n} von {n_trees} Bäumen ({percent(n / n_trees)}); dies ist Baum {number_}."


def features(n_left_out: int) -> str:
    more = f" Nicht gezeigt: {n_left_out} weitere Spalte{'n' * (n_left_out > 1)}." if n_left_out else ""
    return (
        "Prozent der Bäume, die in dieser Tiefe irgendwo nach der Spalte fragen; eine Tiefe hat mehrere "
        "Fragen, darum kann die Summe über 100 % sein. Von einer Teilung, die bei der Spalte zögert, zählt die "
        f"erste.{more}"
    )


THRESHOLDS_OF = "Schwellen an der Wurzel, Spalte"
NO_NEIGHBOURHOOD = (
    "Keine Zahl gewinnt etwas an der Wurzel dieser Daten; darum gibt es keine Nachbarschaft zu zeichnen."
)
WINDOWS = {"neighbourhood": "Nachbarschaft T(t₀)", "cube root": "∛N", "square root": "√N"}
THRESHOLDS = (
    "Balken: Anteil der Bäume mit einer Schwelle dort. Grau: die Nachbarschaft des besten Schnitts t₀, die ein "
    "kultivierter Baum an der Wurzel der ganzen Daten hat. Schwellen von Bäumen, die ohne Zurücklegen gezogen "
    "sind, liegen innerhalb von ∛N Zeilen der besten (Bühlmann & Yu 2002); Nalenz & Augustin (2021) "
    "nehmen √N, weil die gefundenen Schnitte nicht ganz die besten sind."
)


def most_often(name: str) -> str:
    return f"{name} (am häufigsten an der Wurzel)"


def not_at_root(n_trees: int, name: str) -> str:
    return f"Keiner der {n_trees} Bäume fragt an der Wurzel nach {name}."


def at_root(n: int, n_trees: int) -> str:
    return f"An der Wurzel gefragt von {n} von {n_trees} Bäumen. Von diesen Schwellen liegen innerhalb von:"


TWO_TREES = "Für die Übereinstimmung braucht es zwei Bäume eines Verfahrens."
AGREE_ON = "Zwei Bäume stimmen überein bei"
DIFFER_BY = "Zwei Bäume sind auseinander um"
DIFFER_HELP = "Quadratisches Mittel über Paare von Bäumen und Zeilen"
AGREEMENT = (
    "Nach oben: Anteil der Zeilen. Bäume verschiedener Struktur können durchaus dasselbe sagen; wo nicht, "
    "hängt die Antwort vom Glück der Ziehung ab. Zeilen, auf denen ein Baum gewachsen ist, sind dabei."
)
LEAST_ALIKE = "Zeilen, bei denen sie am wenigsten übereinstimmen"
LEAST_ALIKE_ALT = "Zeilen, bei denen die Bäume am wenigsten übereinstimmen"
MEASURE = {True: "Übereinstimmung", False: "Unterschied"}


def of_rows(share: float) -> str:
    return f"{percent(share)} der Zeilen"


def measure_of(is_classification: bool, learner: str) -> str:
    return f"{MEASURE[is_classification]}: {learner}"


ASKING = "Alle Bäume werden befragt …"
SHARES = "Anteile"


def deviation(of: str, most: float) -> str:
    return f":small[Standardabweichung dessen, was die Bäume sagen ({of}), von null bis {number(most)}]"


def scale_alt(most: float) -> str:
    return f"Von 0 bis {number(most)}"


def spread(deviation: float, is_classification: bool) -> str:
    of = "Anteile" if is_classification else "Antworten"
    return f":small[Standardabweichung der {of} über die Bäume: **{number(deviation)}**]"


def mean_variance(value: float) -> str:
    return f"Mittlere Varianz {number(value)}, Standardabweichung {number(value**0.5)}"


def maps(most_trees: int, is_classification: bool) -> str:
    of_classes = " Bei Klassen: die Wurzel der halben Summe der Varianzen der Anteile." * is_classification
    return (
        f"Je kräftiger der Ton, desto mehr hängt die Antwort von der Ziehung ab. Höchstens {most_trees} Bäume "
        f"jedes Verfahrens werden befragt; Spalten ohne Achse haben ihren Median oder häufigsten Wert.{of_classes}"
    )
