"""Pictures and words of approximation trees."""
