"""Optimal trees on a page: search, proof, and near-optimal trees."""
