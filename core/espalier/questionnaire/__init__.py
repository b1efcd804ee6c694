"""A tree as a questionnaire."""
