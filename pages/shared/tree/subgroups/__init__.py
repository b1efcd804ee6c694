"""Compare subgroups: the same learner on each group of a column, side by side."""
