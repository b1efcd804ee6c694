"""Practice: exercises that a seed decides, their right answers, and files of results that a teacher collects."""

from espalier.practice.exercise import AnswerCheck, Exercise, ExerciseTable, verdict
from espalier.practice.kinds import KINDS, LEVELS, exercise, series

__all__ = ["KINDS", "LEVELS", "AnswerCheck", "Exercise", "ExerciseTable", "exercise", "series", "verdict"]
