"""New rows in words and tables: what a model says of each, what it promises, and the rows for an expert."""
