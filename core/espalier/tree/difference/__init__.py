"""Two trees, one difference: what is the same, what moved, what is new, and which samples that changes."""
