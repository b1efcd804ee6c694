"""What the browser does by itself while a slider moves."""
