"""Pictures of forests."""
