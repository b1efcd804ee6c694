"""The data library and the page that reads a table."""
