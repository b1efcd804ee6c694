"""Can I do it with paper and pencil? Ten exercises at a time, and the files of their results."""

from pages.shared.app import address, frame
from pages.shared.practice import course

PAGE = "practice"


@frame.guarded
def practice_page() -> None:
    """Draw the exercise that is on, the file of results, and what a teacher does with many of them."""
    entries = course.url_entries()
    frame.notes(address.load(PAGE, entries).notes)
    course.draw(PAGE, entries)
    course.draw_collection()
    address.save(PAGE, entries)


frame.enter()
practice_page()
