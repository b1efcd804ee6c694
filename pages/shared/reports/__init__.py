"""Reports of pages: each page brings the sections of what it shows, and what every report says comes besides."""
