"""Texts of the menu."""

PAGES = {
    "data": "Data",
    "tree": "Tree",
    "forests": "Forests",
    "approximate": "Approximate",
    "compare": "Compare",
    "stability": "Stability",
    "reliability": "Reliability",
    "questionnaire": "Questionnaire",
    "new_rows": "New rows",
    "hesitation": "Hesitation",
    "basics": "Basics",
    "lessons": "Lessons",
}
