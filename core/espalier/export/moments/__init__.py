"""How exported source works out features of dates, times of day and durations from the cells of a file."""
