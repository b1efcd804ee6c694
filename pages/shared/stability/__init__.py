"""How many different trees: the learners, how the data are drawn again, the replicates, and what they show."""
