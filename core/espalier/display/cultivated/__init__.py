"""Pictures and words of cultivated trees."""
