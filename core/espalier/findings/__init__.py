"""What speaks against a table before any tree grows: leaks, twins, identifiers, drift, classes too rare."""
