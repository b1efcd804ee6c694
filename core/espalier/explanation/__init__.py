"""Which features a prediction owes what to, and how predictions change along a feature."""
