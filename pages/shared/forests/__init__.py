"""Two forests side by side: settings, growing, and a tab for each view."""
