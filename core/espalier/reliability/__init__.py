"""Reliability: uncertainty, abstention, and the explanation of one prediction."""
