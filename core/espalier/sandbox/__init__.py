"""A process of its own for what strangers bring, and how to talk with it; imports nothing of ours but settings."""
