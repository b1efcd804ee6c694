"""Two small tables that come with rpart, which its documentation grows trees on.

Kyphosis: 81 children after an operation on the spine; cars: 60 models tested by Consumer Reports, April 1990. Both
stand in Chambers & Hastie (1992), Statistical Models in S.
"""

import numpy as np

PRESENT = (3, 10, 11, 22, 23, 25, 38, 40, 41, 46, 49, 53, 58, 61, 62, 77, 80)  # rows, from 1
AGE = (
    "71 158 128 2 1 1 61 37 113 59 82 148 18 1 168 1 78 175 80 27 22 105 96 131 15 9 8 100 4 151 31 125 130 "
    "112 140 93 1 52 20 91 73 35 143 61 97 139 136 131 121 177 68 9 139 2 140 72 2 120 51 102 130 114 81 118 "
    "118 17 195 159 18 15 158 127 87 206 11 178 157 26 120 42 36"
)
NUMBER = (
    "3 3 4 5 4 2 2 3 2 6 5 3 5 4 3 3 6 5 5 4 2 6 3 2 7 5 3 3 3 2 3 2 5 3 5 3 3 5 6 5 5 3 9 4 3 3 4 5 3 2 5 2 "
    "10 2 4 5 3 5 7 3 4 7 4 3 4 4 2 4 4 5 5 4 4 4 3 4 3 7 2 7 4"
)
START = (
    "5 14 5 1 15 16 17 16 16 12 14 16 2 12 18 16 15 13 16 9 16 5 12 3 2 13 6 14 16 16 16 11 13 16 11 16 9 6 9 "
    "12 1 13 3 1 16 10 15 13 3 14 10 17 6 17 15 15 13 8 9 13 1 8 1 16 16 10 17 13 11 16 14 12 16 10 15 15 13 "
    "13 13 6 13"
)
WEIGHT = (
    "2560 2345 1845 2260 2440 2285 2275 2350 2295 1900 2390 2075 2330 3320 2885 3310 2695 2170 2710 2775 2840 "
    "2485 2670 2640 2655 3065 2750 2920 2780 2745 3110 2920 2645 2575 2935 2920 2985 3265 2880 2975 3450 3145 "
    "3190 3610 2885 3480 3200 2765 3220 3480 3325 3855 3850 3195 3735 3665 3735 3415 3185 3690"
)
MILEAGE = (
    "33 33 37 32 32 26 33 28 25 34 29 35 26 20 27 19 30 33 27 24 26 28 27 23 26 25 24 26 24 25 21 21 23 24 23 "
    "27 23 20 21 22 22 22 22 23 23 21 22 21 21 23 23 18 20 18 18 18 19 20 20 19"
)


def numbers(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=np.float64)


def kyphosis() -> tuple[np.ndarray, np.ndarray]:
    """Age in months, number of vertebrae and the first of them, (81, 3); 1 where kyphosis was there afterwards."""
    y = np.zeros(81, dtype=np.int64)
    y[np.array(PRESENT) - 1] = 1
    return np.column_stack([numbers(AGE), numbers(NUMBER), numbers(START)]), y


def cars() -> tuple[np.ndarray, np.ndarray]:
    """Weight in pounds, (60, 1), and miles per gallon, (60,)."""
    return numbers(WEIGHT)[:, None], numbers(MILEAGE)
