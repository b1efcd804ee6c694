"""Pictures of data sets, and words on what about them misleads."""
