"""Convert columns of text cells to numbers, categories and classes."""
