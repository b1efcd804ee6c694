"""A person's own models: brought once in a session, put into the table's terms, and asked on several pages."""
