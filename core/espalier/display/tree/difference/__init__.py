"""The difference of two trees in sentences, in two pictures, in a table of rows, and as a document."""
