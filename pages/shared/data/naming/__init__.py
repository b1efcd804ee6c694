"""What people call the columns of the table in use."""
