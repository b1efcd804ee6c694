"""What about the table in use misleads: the look at it, the list on the Data page, the mark on the Tree page."""
