"""Changes of a tree by hand: their record, and the tree that they make."""
