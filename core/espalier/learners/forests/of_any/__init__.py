"""Forests whose trees any of our estimators grows: CART, cultivated or optimal trees."""
