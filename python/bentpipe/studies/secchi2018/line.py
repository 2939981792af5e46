"""Table 1 as a line: the load time of a page is an intercept and so many seconds for each megabyte."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bentpipe.studies.published_number import NORMAL_95, PublishedNumber
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.published import Column

Point: TypeAlias = tuple[float, float]
"""A page's size in MB, and seconds."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """Least squares: seconds at no size, seconds for each megabyte, and the standard errors of both."""

    intercept_s: float
    slope_s_per_mb: float
    intercept_error_s: float
    slope_error_s_per_mb: float


def fitted(points: Sequence[Point]) -> Line:
    """The line through points of at least two sizes."""
    sizes, seconds = (np.array(values) for values in zip(*points, strict=True))
    design = np.column_stack([np.ones(len(sizes)), sizes])
    (intercept_s, slope), *_ = np.linalg.lstsq(design, seconds, rcond=None)
    residuals = seconds - design @ np.array([intercept_s, slope])
    variance = float(residuals @ residuals) / max(len(points) - 2, 1)
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * variance)
    return Line(
        intercept_s=float(intercept_s),
        slope_s_per_mb=float(slope),
        intercept_error_s=float(errors[0]),
        slope_error_s_per_mb=float(errors[1]),
    )


def published_line(pep: str) -> tuple[PublishedNumber, PublishedNumber]:
    """Intercept and slope of table 1 on a path, through both of its columns.

    The margin is the 95 % interval of the fit, or how far either column's own line is from it: the greater.
    """
    columns = [column for column in published.TABLE_1_PLT_S if column.pep == pep]
    both = fitted([point for column in columns for point in _points(column)])
    alone = [fitted(list(_points(column))) for column in columns]
    return (
        _number(both.intercept_s, both.intercept_error_s, (line.intercept_s for line in alone), unit="s"),
        _number(
            both.slope_s_per_mb,
            both.slope_error_s_per_mb,
            (line.slope_s_per_mb for line in alone),
            unit="s/MB",
        ),
    )


def _number(value: float, error: float, columns: Iterable[float], *, unit: str) -> PublishedNumber:
    margin = max(NORMAL_95 * error, *(abs(column - value) for column in columns))
    return PublishedNumber(
        value=round(value, 1),
        unit=unit,
        source="Table 1, line through both columns",
        margin_percent=round(100 * margin / value, 0),
        margin_because="95 % interval of the line, or how far either column's is from it",
    )


def _points(column: Column) -> Iterable[Point]:
    totals = published.TABLE_1_PLT_S[column]
    return ((total / 1000, seconds) for total, sizes in totals.items() for seconds in sizes.values())
