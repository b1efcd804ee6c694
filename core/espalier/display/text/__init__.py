"""Values, conditions and trees in plain words."""
