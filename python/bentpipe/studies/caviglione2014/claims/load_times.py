"""Section 4.2: how long each protocol takes for the page."""

from collections.abc import Iterator

from bentpipe.studies import rules
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import H1, H1_TLS, HTTP10, HTTP10_TLS, SPDY, STUDIED
from bentpipe.studies.caviglione2014.comparisons import number, pair, seconds_against
from bentpipe.studies.caviglione2014.loads import PLT, values
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict, verdict

ORDER_PERCENT = 100 * (
    published.ORDER_OF_MAGNITUDE.value * (1 - published.ORDER_OF_MAGNITUDE.margin_percent / 100) - 1
)
"""How far HTTP/1.0 lies above HTTP/1.1 at the least to be an order of magnitude slower."""
_SECTION = "section 4.2 of Fig. 3"


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    for variant in STUDIED:
        if variant is not H1_TLS:
            theirs = published.PLT[variant.http]
            yield verdict(
                f"load-time-{variant.http}",
                f"{variant.label}: the page takes {theirs.value:g} s",
                [number(runs, PLT, variant.forward(), theirs, label=variant.label)],
                source=theirs.source,
            )
    yield from _over_tls(runs)
    yield verdict(
        "http10-order-of-magnitude",
        "HTTP/1.0 takes longer than HTTP/1.1 by an order of magnitude",
        [
            pair(
                runs,
                PLT,
                HTTP10.forward(),
                H1.forward(),
                rules.at_least(ORDER_PERCENT),
                label="HTTP/1.0 against HTTP/1.1",
            )
        ],
        source=_SECTION,
    )
    yield verdict(
        "spdy-similar-to-h1",
        "SPDY takes similarly long as HTTP/1.1",
        [
            pair(runs, PLT, SPDY.forward(), H1.forward(), rule, label="SPDY against HTTP/1.1")
            for rule in (
                rules.at_least(-published.SIMILAR_PERCENT),
                rules.less_than(published.SIMILAR_PERCENT),
            )
        ],
        source=_SECTION,
    )


def _over_tls(runs: Runs) -> Iterator[Verdict]:
    yield verdict(
        "tls-slower-http10",
        "HTTP/1.0: over TLS the page takes longer",
        [
            pair(
                runs,
                PLT,
                HTTP10_TLS.forward(),
                HTTP10.forward(),
                rules.above,
                label=f"{HTTP10_TLS.label} against {HTTP10.label}",
            )
        ],
        source=_SECTION,
    )
    yield verdict(
        "tls-slower-h1-by-2-s",
        "HTTP/1.1: over TLS the page takes about 2 s longer",
        [
            seconds_against(
                values(runs, PLT, H1_TLS.forward()),
                values(runs, PLT, H1.forward()),
                published.H1_TLS_SLOWER,
                label=f"{H1_TLS.label} above {H1.label}",
            )
        ],
        source=published.H1_TLS_SLOWER.source,
    )
