"""A tree asked question by question: its source, the answers so far, the question, and the answer."""
