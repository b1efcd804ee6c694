"""German texts of the Tree page."""
