"""The tree to take away: code, rules, predictions, a report, and the link to the page."""
