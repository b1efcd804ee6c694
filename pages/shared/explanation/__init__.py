"""What columns add to the answers of forests, on pages."""
