"""New rows scored: the model, the rows, how their columns were matched, and all that is said of them."""
