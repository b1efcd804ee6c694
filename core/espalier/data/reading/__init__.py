"""Read a file into a table, in a separate process with limits, and list its ambiguities."""
