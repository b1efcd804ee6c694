"""German texts of the Approximate page and of its tabs."""
