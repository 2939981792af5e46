"""Tables of the page."""

import math
from collections.abc import Mapping, Sequence

from tools.agreement_random.comparing import BARS, MEDIAN_BAR, Distribution

_QUANTILES = (0.9, 0.97, 0.99)


def distribution_table(named: Mapping[str, Distribution]) -> list[str]:
    """Return a table with a row for each distribution, by what it is called."""
    limits = (MEDIAN_BAR, *BARS)
    heads = ["", "quantities", "median", *(f"{share:.0%}" for share in _QUANTILES), "worst"]
    heads += [*(f"within {limit:.1%}" for limit in limits), "holds"]
    lines = [line(heads), line(["---", *["---:"] * (len(heads) - 2), "---"])]
    for title, errors in named.items():
        quantiles = [errors.median, *(errors.quantile(share) for share in (*_QUANTILES, 1.0))]
        lines.append(
            line(
                [
                    title,
                    str(len(errors.errors)),
                    *(percent(error) for error in quantiles),
                    *(f"{errors.within(limit):.1%}" for limit in limits),
                    "yes" if errors.holds else "**no**",
                ]
            )
        )
    return lines


def percent(value: float, *, sign: str = "") -> str:
    """Return a share as it is printed."""
    return f"{value:{sign}.2%}" if math.isfinite(value) else "-"


def line(cells: Sequence[str]) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"
