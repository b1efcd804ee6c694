"""A file becomes a table: in a process of its own, with limits, and with choices where it is ambiguous."""
