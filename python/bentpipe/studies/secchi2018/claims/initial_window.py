"""Section 4.5: table 1, number by number and as a line, and what the initial window does behind the PEP."""

from collections.abc import Iterator

from bentpipe.studies import rules
from bentpipe.studies.measure import against, difference
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import DECIDING, EVERY_PAGE, PATHS, PEP, STUDY_WINDOW, cell, page
from bentpipe.studies.secchi2018.line import published_line
from bentpipe.studies.secchi2018.measured import lines, times_s
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict, judge, verdict

SMALL_WINDOW = 3


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield from _numbers(runs)
    yield from _lines(runs)
    yield verdict(
        "initial-window-without-effect-behind-pep",
        "With the PEP, an initial window of 10 in place of 3 has no visible effect",
        [
            judge(
                f"SPDY through the PEP: initial window {STUDY_WINDOW} against {SMALL_WINDOW}",
                difference(
                    runs,
                    "plt_s",
                    sample=cell(DECIDING, pep=PEP, window=STUDY_WINDOW),
                    reference=cell(DECIDING, pep=PEP, window=SMALL_WINDOW),
                    pages=EVERY_PAGE,
                ),
                rules.alike,
            )
        ],
        source="section 4.5",
    )


def _numbers(runs: Runs) -> Iterator[Verdict]:
    for column, totals in published.TABLE_1_PLT_S.items():
        for total, sizes in totals.items():
            for size in sizes:
                theirs = published.table_1(column, total, size)
                ours = times_s(runs, DECIDING, page(total, size), pep=column.pep, window=column.window)
                what = f"{total} kB in objects of {size} kB"
                yield verdict(
                    f"table-1-{column.pep}-iw{column.window}-{total}k-{size}k",
                    f"HTTP/2, {column.name}: {what} in {theirs.value} s",
                    [against(f"SPDY, {what}", ours, theirs, decimals=1)],
                    source=theirs.source,
                )


def _lines(runs: Runs) -> Iterator[Verdict]:
    for pep, where in PATHS.items():
        intercept, slope = published_line(pep)
        ours = lines(runs, DECIDING, pep)
        for part, theirs, values in (
            ("intercept", intercept, [line.intercept_s for line in ours]),
            ("slope", slope, [line.slope_s_per_mb for line in ours]),
        ):
            yield verdict(
                f"table-1-{pep}-{part}",
                f"HTTP/2 {where}: the {part} of load time over size is {theirs.text}",
                [against(f"SPDY, {part} of 18 cells", values, theirs, decimals=1)],
                source=theirs.source,
            )
