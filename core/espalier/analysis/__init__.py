"""What one can ask of a grown tree and its data."""
