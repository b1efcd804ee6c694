"""Analysis of cultivated trees: their modules and gates."""
