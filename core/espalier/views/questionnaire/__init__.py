"""The words of a questionnaire, and its printed sheet."""
