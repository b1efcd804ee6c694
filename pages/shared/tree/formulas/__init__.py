"""Model trees on the Tree page: the formulas of leaves, and CART beside them."""
