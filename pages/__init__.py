"""The pages of the app: one file per question that a person asks of a tree."""
