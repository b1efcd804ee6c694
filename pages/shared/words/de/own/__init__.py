"""German texts on models and rows that a person brings."""
