# SPDX-License-Identifier: BSD-2-Clause
"""Lists of numbers as Linux writes them."""


def of(numbers):
    """"0-3,8" """
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
