"""What one can ask of gradient boosting round by round."""
