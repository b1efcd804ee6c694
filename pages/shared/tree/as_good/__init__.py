"""Trees as good as the optimal one: those built by hand among them."""
