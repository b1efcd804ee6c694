"""Texte zu zwei Bäumen nebeneinander, A | B."""

from __future__ import annotations

from collections.abc import Mapping

from espalier.language import in_style
from espalier.views.theme import count

LETTERS = ("A", "B")
KEEP = "Als A behalten"
KEEP_HELP = (
    "Behält diesen Baum als A. Mit einem anderen Verfahren oder anderen Einstellungen steht B auf denselben "
    "Achsen daneben."
)
CANNOT_BE_KEPT = (
    "Ein Baum eines Waldes und einer, der auf dem Reiter gestutzt ist, lassen sich nicht als A behalten."
)
END = "A | B beenden"
END_HELP = "Lässt Baum A los; der Baum, den die Einstellungen meinen, bleibt."
TITLE = "#### A | B"
DIFFER = "die Bäume antworten verschieden"
SETTINGS_OF_A = "ein Verfahren und seine Einstellungen, wie „Als A behalten“ sie schreibt"
GROWING = "**Baum A wächst**"


def title(learner: str, settings: Mapping[str, str], is_by_hand: bool) -> str:
    parts = [learner, *(f"{name} {text}" for name, text in settings.items())]
    return ", ".join([*parts, "von Hand geändert"] if is_by_hand else parts)


def side(letter: str, name: str, n_leaves: int, scores: str) -> str:
    return f"**{letter}: {name}**, {n_leaves} {'Blatt' if n_leaves == 1 else 'Blätter'}  \n:small[{scores}]"


def difference(gaps: Mapping[str, float], is_share: bool, n_rows: int, n: int) -> str:
    parts = [f"{kind} {_gap(gap, is_share)}" for kind, gap in gaps.items()]
    return f"**B gegen A:** {', '.join(parts)} · {count(n_rows)} von {count(n)} Zeilen bekommen andere Antworten"


def _gap(gap: float, is_share: bool) -> str:
    if is_share:
        return f"{in_style(f'{100 * gap:+.1f}')} Punkte" if round(100 * gap, 1) else "gleich"
    return f"R² {in_style(f'{gap:+.3f}')}" if round(gap, 3) else "gleich"
