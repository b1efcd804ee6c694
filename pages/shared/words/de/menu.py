"""Texte des Menüs."""

PAGES = {
    "data": "Daten", "tree": "Baum", "forests": "Wälder", "approximate": "Nähern", "compare": "Vergleichen",
    "stability": "Stabilität", "reliability": "Verlässlichkeit", "questionnaire": "Fragebogen",
    "new_rows": "Neue Zeilen", "hesitation": "Zögern", "basics": "Grundlagen", "lessons": "Lektionen",
}  # fmt: skip
