"""Analysis of forests: agreement, growth, importance, and variance."""
