"""Invented campaigns of the study secchi2018: every cell with loads of known outcome."""

from typing import NamedTuple

from bentpipe import studies
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    AMPLE_BUFFER,
    CLIENT_BUFFER,
    DECIDING,
    EAGER,
    ONE_AT_A_TIME,
    PAGES,
    PATHS,
    PATIENT,
    PERSISTENT_PAGES,
    STUDIED,
    Keeping,
    cell,
    page,
)
from tests.support.loads import repeated
from tests.support.models import changed

STUDY = studies.get("secchi2018")
TABLE_1 = {
    (column.pep, column.window, page(total, size)): seconds
    for column, totals in published.TABLE_1_PLT_S.items()
    for total, sizes in totals.items()
    for size, seconds in sizes.items()
}


class Cell(NamedTuple):
    """One of the study's cells."""

    http: str
    pep: str
    retry: str
    window: int
    page: str
    keeping: Keeping = Keeping.ONE
    buffer: str = CLIENT_BUFFER

    @property
    def factors(self):
        return {
            **cell(
                self.http,
                pep=self.pep,
                retry=self.retry,
                window=self.window,
                keeping=self.keeping,
                buffer=self.buffer,
            ),
            "page": self.page,
        }


def cells():
    """Every cell of the study."""
    for pep in PATHS:
        for name in PAGES:
            for retry in (EAGER, PATIENT):
                for http in STUDIED:
                    yield Cell(http, pep, retry, 10, name)
            yield Cell("h2", pep, EAGER, 10, name)
            yield Cell(DECIDING, pep, EAGER, 3, name)
        for name in PERSISTENT_PAGES:
            for http in ONE_AT_A_TIME:
                yield Cell(http, pep, EAGER, 10, name, keeping=Keeping.ALL)
        yield Cell(DECIDING, pep, EAGER, 10, page(2500, 100), buffer=AMPLE_BUFFER)


def campaign(seconds, **changes):
    """Three loads of every cell; `seconds` and the changes are functions of the cell."""
    return [
        run
        for each in cells()
        for run in repeated(
            each.factors,
            plt_s=seconds(each),
            **{key: value(each) for key, value in changes.items()},
        )
    ]


def in_table_1(at):
    """Table 1 for SPDY; 20 s for all else."""
    return TABLE_1.get((at.pep, at.window, at.page), 20.0) if at.http == DECIDING else 20.0


def constant(value):
    return lambda *_: value


def verdict(runs, claim_id):
    return next(v for v in STUDY.claims(runs) if v.claim_id == claim_id)


def agreement(runs, claim_id):
    return verdict(runs, claim_id).agreement


def with_metrics(runs, **metrics):
    """The same loads with other metrics."""
    for run in runs:
        run.record = changed(run.record, metrics=changed(run.record.metrics, **metrics))
    return runs
