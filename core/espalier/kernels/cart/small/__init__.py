"""Trees and subtrees whose sorted lists are searched in one call."""
