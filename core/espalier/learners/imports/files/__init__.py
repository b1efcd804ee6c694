"""Readers of the files of other libraries, one for each form."""
