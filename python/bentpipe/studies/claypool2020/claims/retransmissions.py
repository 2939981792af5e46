"""What the study says of packets retransmitted, beside who sends more again than whom."""

from collections.abc import Iterator, Sequence

from bentpipe.figures.style import control_label
from bentpipe.stats import Phase
from bentpipe.studies import rules
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.levels import SLUGS
from bentpipe.studies.claypool2020.downloads import RESENT, Downloads, values
from bentpipe.studies.measure import against, share
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

NEARLY_ALWAYS_PERCENT = 90.0
ALWAYS_PERCENT = 95.0
NONE_BELOW_PERCENT = 0.005
"""What a figure shows as zero, and two decimals as 0.00 %."""


def retransmission_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Figures 4, 7 and 10."""
    resent = {cc: values(found, Phase.OVERALL, RESENT) for cc, found in downloads.items()}
    below = published.HYBLA_RESENT_NEARLY_ALWAYS_BELOW_PERCENT
    most = published.PCC_RESENT_AT_MOST_PERCENT
    yield verdict(
        "resent-hybla-below-1",
        f"Hybla nearly always sends less than {below:g} % of the packets again",
        [often([v < below for v in resent["hybla"]], f"Hybla: below {below:g} %", NEARLY_ALWAYS_PERCENT)],
        source="section IV.C and Fig. 7",
    )
    yield verdict(
        "resent-pcc-about",
        f"PCC sends about {published.PCC_RESENT.value:g} % of the packets again",
        [against("PCC", resent["vivace"], published.PCC_RESENT, decimals=2)],
        source=published.PCC_RESENT.source,
    )
    yield verdict(
        "resent-pcc-at-most",
        f"PCC sends at most {most:g} % of the packets again",
        [often([v <= most for v in resent["vivace"]], f"PCC: at most {most:g} %", ALWAYS_PERCENT)],
        source="section IV.C and Fig. 7",
    )
    start_up = values(downloads["hybla"], Phase.START_UP, RESENT)
    yield verdict(
        "start-up-hybla-little-resent",
        "Hybla loses little while it ramps up",
        [often([v < below for v in start_up], f"Hybla: below {below:g} %", NEARLY_ALWAYS_PERCENT)],
        source="section IV.B and Fig. 4",
    )
    for control, percent in published.STEADY_WITHOUT_RESENT_PERCENT.items():
        steady = values(downloads[control], Phase.STEADY, RESENT)
        yield verdict(
            f"steady-none-resent-{SLUGS[control]}",
            f"{percent:g} % of {control_label(control)}'s steady states have nothing retransmitted",
            [
                judge(
                    control_label(control),
                    share([v < NONE_BELOW_PERCENT for v in steady]),
                    rules.about(percent),
                )
            ],
            source="section IV.D and Fig. 10",
        )


def often(is_so: Sequence[bool], label: str, level_percent: float) -> Finding:
    """Judge that at least so many percent of the downloads do something."""
    return judge(label, share(is_so), rules.at_least(level_percent))
