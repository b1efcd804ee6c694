"""The frame of every page: address, rail, guarded callbacks, and the server's outer wall."""
