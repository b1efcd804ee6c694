"""German texts of the Forests page."""
