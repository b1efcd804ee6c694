"""Pictures and words of the search for an optimal tree."""
