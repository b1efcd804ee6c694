"""Exports of cultivated trees."""
