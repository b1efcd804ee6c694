"""Trees as good over every threshold of a table: surveys go through sorted rows, not through pairs of questions.

The graph is the same as that over questions written out, only its sets of rows are surveyed in another way.
"""
