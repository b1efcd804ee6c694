"""A process of its own for models of strangers, and how to talk with it; imports nothing of ours but settings."""
