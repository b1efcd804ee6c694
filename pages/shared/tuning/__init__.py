"""“Tune for me”: the search for settings."""
