"""Every claim of the study as a pure function of runs."""

from bentpipe.studies.margins import ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.rules import SMALLEST_EFFECT_PERCENT, TOLERANCE_POINTS
from bentpipe.studies.secchi2018.cells import PEP, TUNNEL
from bentpipe.studies.secchi2018.claims import (
    composition,
    conclusion,
    dynamics,
    initial_window,
    retry,
    without_pep,
)
from bentpipe.studies.secchi2018.published import LOAD_MARGIN_PERCENT, NO_DEPENDENCE_PERCENT
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict

RULES: tuple[str, ...] = (
    "The study's HTTP/2 was SPDY/3 by mod_spdy: each claim about it is judged on SPDY. HTTP/2 of "
    "today stands "
    "beside it in tables and figures.",
    "Differences are relative, in percent of the second of the two, averaged over pages with equal weight; "
    "intervals are 95 % (Fieller's on one page, t by the delta method over several).",
    "A claimed direction agrees when the whole interval lies on its side of zero and the difference is "
    f"{SMALLEST_EFFECT_PERCENT:.0f} % or more.",
    f"A load time agrees within {LOAD_MARGIN_PERCENT[PEP]:.0f} % with the PEP and "
    f"{LOAD_MARGIN_PERCENT[TUNNEL]:.0f} % "
    "without: so far are two means of ten loads of the same apart in 95 of 100 cases, by the "
    "replicates within "
    "table 1. Intercept and slope of table 1 agree within the interval of its own line.",
    "A rate read off a figure and what is said to be about a number agree within "
    f"{ROUGH_MARGIN_PERCENT:.0f} %, the "
    f"end of a range in whole seconds within {TIME_MARGIN_PERCENT:.0f} %.",
    f"Alike agrees when the whole interval lies within {TOLERANCE_POINTS:.0f} % of equal. Not with "
    "the number of "
    f"objects means within {NO_DEPENDENCE_PERCENT[PEP]:.0f} % with the PEP and "
    f"{NO_DEPENDENCE_PERCENT[TUNNEL]:.0f} % "
    "without, which is how far table 1 is from it; the same as with the PEP means within the margin "
    "of a load "
    "time.",
    "In some cases, and more than once in some tests, mean significantly more often than never.",
    "A claim about several pages or protocols agrees only when each does. Of a range of nine pages "
    "the fastest and "
    "the slowest are judged.",
    "Where some pages of a comparison were not measured, the others decide and the finding says so.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "Where the study varies neither, the retry timeout is 250 ms and the initial window 10 segments.",
    "Load times of HTTP/1.1 and HTTPS are those of connections that are not persistent, as section "
    "4.3 has it; "
    "Fig. 2 and its text are of six persistent ones, of HTTPS as the caption says.",
    "230 kB/s is the peak of 100 ms: as an average propagation forbids it.",
    "Up to few minutes is between two and five; tens of seconds is ten or more; variations of the "
    "order of seconds "
    "are one or more.",
    "The client's buffer of 128 kB announces a window of 80 kB, as Linux's does; that it is the "
    "window is tried.",
    "Requests of HTTP/2 leave when the first object that the document names is asked for.",
)


def claims(runs: Runs) -> tuple[Verdict, ...]:
    """Judge every claim; only succeeded runs count."""
    return (
        *dynamics.verdicts(runs),
        *composition.verdicts(runs),
        *without_pep.verdicts(runs),
        *initial_window.verdicts(runs),
        *retry.verdicts(runs),
        *conclusion.verdicts(runs),
    )
