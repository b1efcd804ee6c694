"""Settings that say something of columns of the table: their widgets, texts, and way from page to page."""
