"""The page that compares models."""
