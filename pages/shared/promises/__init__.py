"""Answers that hold the truth as often as a person asks: a part of the Reliability page."""
