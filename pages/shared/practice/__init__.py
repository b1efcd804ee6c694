"""Practice on the page of lessons: exercises with checked answers, and the files of results."""
