"""Views of oblique trees: as trees of single questions, about sums that are columns of their own."""
