"""Python sides of the browser components."""
