"""Practice: exercises that a seed decides, their right answers, and files of results that a teacher collects."""

from espalier.practice.exercises import AnswerCheck, Exercise, ExerciseTable, verdict
from espalier.practice.results import KINDS, LEVELS, exercise, series

__all__ = ["KINDS", "LEVELS", "AnswerCheck", "Exercise", "ExerciseTable", "exercise", "series", "verdict"]
