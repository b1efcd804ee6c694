"""Texte zu schrägen Bäumen: ihre Einstellungen, und Teilungen, die mehrere Spalten abwägen."""

from __future__ import annotations

MORE = "Teilungen, Spalten, Stutzen und Gewichte"
BY_SUMS = (
    "✓ ist, wonach der Baum teilt. Eine gewichtete Summe von Spalten wird nur genommen, wo sie mehr gewinnt "
    "als jede Spalte allein, und genug für ihre Koeffizienten. Ein Häkchen an einer anderen Spalte zeigt ihre "
    "Kurve."
)
BY_SUMS_AND_GAPS = (
    f"{BY_SUMS} Ein fehlender Wert zählt als Mittelwert seiner Spalte, oder als ihre häufigste Kategorie; "
    "Tabelle und Kurven einzelner Spalten schicken ihn auf die bessere Seite und können mehr gewinnen."
)
