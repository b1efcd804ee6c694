"""A session as a file: what is set on all pages, and which table it is about."""
