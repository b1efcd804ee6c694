"""Pictures of gradient boosting round by round."""
