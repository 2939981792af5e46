"""Series in CSV files: columns of numbers under a line of names, the first of them the time."""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import LONGEST_NS, SECOND_NS
from bentpipe.scenario.written.user_file import read_user_file

MOST_ROWS = 1_000_000
LARGEST_FILE_BYTES = 100 * MOST_ROWS
"""Two numbers written to the last digit take half of it."""


def read_samples(path: Path, names: Sequence[str], where: Location) -> list[tuple[int, float]]:
    """Return times in nanoseconds, which never fall, with the values beside them.

    Parameters
    ----------
    path : Path
        The file.
    names : sequence of str
        The names of its two columns; the first is in seconds.
    where : Location
        The place of the path, for errors before the file could be read.

    Raises
    ------
    InputError
        When it cannot be read, has other columns, or holds what is no number.
    """
    content = read_user_file(path, where, kind="CSV", largest_bytes=LARGEST_FILE_BYTES)
    try:
        text = io.StringIO(content.decode("utf-8"), newline="")
        rows = [row for row, _ in zip(csv.reader(text), range(MOST_ROWS + 2), strict=False)]
    except (ValueError, csv.Error) as error:
        raise where.error(expected="a readable CSV file", found=str(error)) from None
    place = Location(file=str(path))
    if not rows or [name.strip() for name in rows[0]] != list(names):
        found = ",".join(rows[0]) if rows else "an empty file"
        raise place.at("line 1").error(expected=f"the columns {','.join(names)}", found=found)
    if not 2 <= len(rows) <= MOST_ROWS + 1:
        raise place.error(expected=f"from 1 to {MOST_ROWS} rows below the names", found=str(len(rows) - 1))
    samples: list[tuple[int, float]] = []
    for number, row in enumerate(rows[1:], start=2):
        sample = _sample(row, place.at(f"line {number}"))
        if samples and sample[0] < samples[-1][0]:
            raise place.at(f"line {number}").error(expected="no time before the last", found=row[0])
        samples.append(sample)
    return samples


def _sample(row: Sequence[str], where: Location) -> tuple[int, float]:
    try:
        time_s, value = map(float, row)
    except ValueError:
        raise where.error(expected="two numbers", found=quoted(",".join(row))) from None
    if not 0 <= time_s <= LONGEST_NS / SECOND_NS or not math.isfinite(value):
        raise where.error(expected="a time from 0 to 86400 s and a finite number", found=",".join(row))
    return round(time_s * SECOND_NS), value
