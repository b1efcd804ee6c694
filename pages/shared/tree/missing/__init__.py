"""Missing values on the Tree page: the tab that compares the ways of treating them as values are removed."""
