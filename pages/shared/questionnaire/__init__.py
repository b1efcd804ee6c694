"""A tree asked question by question: where it comes from, what has been said, the question, and the answer."""
