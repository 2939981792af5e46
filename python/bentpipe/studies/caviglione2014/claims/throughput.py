"""Section 4.3: throughput over time."""

from collections.abc import Iterator

from bentpipe.studies import rules
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import H1, H1_TLS, HTTP10, SPDY, STUDIED
from bentpipe.studies.caviglione2014.comparisons import number, pair
from bentpipe.studies.caviglione2014.loads import BUSIEST, MEAN_RATE
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict, verdict


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    for variant, quantity, theirs, claim in (
        (HTTP10, MEAN_RATE, published.RATE_HTTP10, "HTTP/1.0: 9 kB/s on average"),
        (H1, BUSIEST, published.RATE_H1, "HTTP/1.1: throughput is more than 200 kB/s"),
        (SPDY, BUSIEST, published.RATE_SPDY, "SPDY: throughput is about 250 kB/s"),
    ):
        yield verdict(
            f"throughput-{variant.http}",
            claim,
            [number(runs, quantity, variant.forward(), theirs, label=variant.label)],
            source=theirs.source,
        )
    yield verdict(
        "throughput-tls-below-h1",
        "HTTP/1.1: over TLS throughput is lower",
        [
            pair(
                runs,
                BUSIEST,
                H1_TLS.forward(),
                H1.forward(),
                rules.below,
                label=f"{H1_TLS.label} against {H1.label}: busiest second",
            )
        ],
        source="section 4.3 of Fig. 5",
    )
    yield verdict(
        "throughput-spdy-best",
        "SPDY has the highest throughput",
        [
            pair(
                runs,
                BUSIEST,
                SPDY.forward(),
                other.forward(),
                rules.above,
                label=f"SPDY against {other.label}: busiest second",
            )
            for other in STUDIED
            if other is not SPDY
        ],
        source="section 4.3 of Fig. 6",
    )
