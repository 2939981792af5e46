"""Section 4.1: how much data each protocol takes for the page."""

from collections.abc import Iterator

from bentpipe.scenario.page.pages import SNEP_DOCUMENT_BYTES, SNEP_OBJECT_BYTES, SNEP_OBJECTS
from bentpipe.studies import rules
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import H1, H1_TLS, HTTP10, HTTP10_TLS, SPDY, STUDIED
from bentpipe.studies.caviglione2014.comparisons import number, pair
from bentpipe.studies.caviglione2014.loads import DATA
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Standing, Verdict, verdict

_SECTION = "section 4.1 of Fig. 2"
_SIZE_FOLLOWS = (
    f"Became the size of the images: 508 kB less a document of {SNEP_DOCUMENT_BYTES / 1e3:g} kB are 754 B "
    f"for each of {SNEP_OBJECTS} objects, of which Apache's header takes 291 B. They have "
    f"{SNEP_OBJECT_BYTES} B."
)


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    for variant in STUDIED:
        theirs = published.DATA[variant.http]
        is_calibrated = variant in (HTTP10, H1)
        yield verdict(
            f"data-{variant.http}",
            f"{variant.label}: {theirs.value:g} kB of data",
            [number(runs, DATA, variant.forward(), theirs, label=variant.label)],
            source=theirs.source,
            standing=Standing.CALIBRATED if is_calibrated else Standing.CLAIM,
            note=_SIZE_FOLLOWS if is_calibrated else "",
        )
    yield verdict(
        "spdy-least-data",
        "SPDY takes the least data",
        [
            pair(
                runs, DATA, SPDY.forward(), other.forward(), rules.below, label=f"SPDY against {other.label}"
            )
            for other in STUDIED
            if other is not SPDY
        ],
        source=_SECTION,
    )
    for over_tls, in_clear in ((HTTP10_TLS, HTTP10), (H1_TLS, H1)):
        yield verdict(
            f"tls-more-bytes-{in_clear.http}",
            f"{in_clear.label}: TLS increases the data",
            [
                pair(
                    runs,
                    DATA,
                    over_tls.forward(),
                    in_clear.forward(),
                    rules.above,
                    label=f"{over_tls.label} against {in_clear.label}",
                )
            ],
            source=_SECTION,
        )
