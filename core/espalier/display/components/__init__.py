"""The browser components (`assets/components`) as text: what a page, or a notebook, gives to the browser."""
