"""A | B: two trees on the same rows and the same axes."""
