"""New rows that a model has scored: reasons in words, and tables for a page and a file."""
