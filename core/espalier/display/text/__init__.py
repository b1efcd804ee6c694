"""Trees and whole numbers in plain words."""
