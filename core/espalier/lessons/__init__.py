"""Lessons: steps over the app's own pages, written as plain text by teachers, with questions that are checked."""

from espalier.lessons.reading import (
    BUNDLED,
    Lesson,
    LessonError,
    LessonStep,
    Link,
    Reveal,
    from_folder,
    from_text,
    from_zip,
    lesson_in,
    names,
)

__all__ = [
    "BUNDLED",
    "Lesson",
    "LessonError",
    "LessonStep",
    "Link",
    "Reveal",
    "from_folder",
    "from_text",
    "from_zip",
    "lesson_in",
    "names",
]
