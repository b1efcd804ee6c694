"""How often each split of a tree comes back in trees from redrawn data."""
