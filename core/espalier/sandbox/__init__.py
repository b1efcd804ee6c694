"""A separate process for foreign files and models, and its protocol; imports only settings of ours."""
