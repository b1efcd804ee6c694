"""The search for settings: what was tried, what it says, and a picture of it."""
