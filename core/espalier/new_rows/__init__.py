"""What a model says of new rows, what it promises about them, and which of them are for an expert."""
