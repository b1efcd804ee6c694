"""Reports: what a page shows, on paper."""
