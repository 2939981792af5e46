"""How long the first megabytes of a download take."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from bentpipe.figures.style import control_label
from bentpipe.studies import rules
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.levels import SLUGS
from bentpipe.studies.claypool2020.claims.orders import pair_label
from bentpipe.studies.claypool2020.downloads import Downloads, object_times_s
from bentpipe.studies.measure import against, against_number, difference_of
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

LATER_SIZES_MB = (25, 30, 50)
EARLIER_SIZES_MB = (5, 10, 15)
"""Of "up to about 20 MBytes" those at which the curves do not meet yet."""


def object_time_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Figure 11, and what the conclusion says of small downloads."""
    for size, row in published.OBJECT_TIMES_S.items():
        for control, number in row.items():
            yield verdict(
                f"object-{size}-mb-{SLUGS[control]}",
                f"{control_label(control)} has {size} MB after {number.value:g} s",
                [
                    against(
                        control_label(control), object_times_s(downloads[control], size), number, decimals=1
                    )
                ],
                source=number.source,
            )
    size = published.MULTIPLES_SIZE_MB
    for control, number in published.MULTIPLES_OF_HYBLA.items():
        yield verdict(
            f"object-multiples-{SLUGS[control]}",
            f"{size} MB take {control_label(control)} about {number.value:g} times as long as Hybla",
            [_multiple(downloads, (control, "hybla"), size, number)],
            source=number.source,
        )
    small = published.SMALL_SIZE_MB
    for claim_id, pair, number in (
        ("object-hybla-twice-as-fast", ("bbr", "hybla"), published.HYBLA_TWICE_AS_FAST),
        ("object-bbr-half-again-as-fast", ("cubic", "bbr"), published.BBR_HALF_AGAIN_AS_FAST),
    ):
        yield verdict(
            claim_id,
            f"Small downloads take {control_label(pair[0])} about {number.value:g} times as long as "
            f"{control_label(pair[1])}",
            [_multiple(downloads, pair, small, number)],
            source=number.source,
        )
    yield verdict(
        "object-5-mb-order",
        "5 MB come first with Hybla, then PCC, BBR, CUBIC",
        _sooner(downloads, tuple(pairwise(("hybla", "vivace", "bbr", "cubic"))), (5,)),
        source="section IV.E and Fig. 11",
    )
    yield verdict(
        "object-pcc-ahead-of-bbr",
        "Up to about 20 MB PCC is ahead of BBR",
        _sooner(downloads, (("vivace", "bbr"),), EARLIER_SIZES_MB),
        source="section IV.E and Fig. 11",
    )
    yield verdict(
        "object-bbr-ahead-of-pcc",
        "Beyond 20 MB BBR is ahead of PCC",
        _sooner(downloads, (("bbr", "vivace"),), LATER_SIZES_MB),
        source="section IV.E and Fig. 11",
    )


def _sooner(downloads: Downloads, pairs: Sequence[tuple[str, str]], sizes_mb: Sequence[int]) -> list[Finding]:
    findings = []
    for pair in pairs:
        for size in sizes_mb:
            times, others = (object_times_s(downloads[control], size) for control in pair)
            findings.append(
                judge(f"{pair_label(pair)}, {size} MB", difference_of(times, others), rules.below)
            )
    return findings


def _multiple(downloads: Downloads, pair: tuple[str, str], size_mb: int, number: PublishedNumber) -> Finding:
    """How many times as long the first of two takes: the deviation of that from the published multiple."""
    times, others = (object_times_s(downloads[control], size_mb) for control in pair)
    measured = difference_of(times, [number.value * time for time in others])
    told = "not measured"
    if measured.percent is not None:
        told = f"{number.value * (1 + measured.percent / 100):.2f} {number.unit}"
    return against_number(pair_label(pair), measured, number, ours=told)
