"""The frame of every page: address, guarded callbacks, and the server's outer wall."""
