"""Pictures, tables and source text of trees: pure functions of records."""
