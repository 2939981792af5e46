"""A run with its record and its series at hand, in place of one that a ledger has."""

from dataclasses import dataclass, field

from bentpipe.model.record import RunRecord
from bentpipe.stats import metrics_of


@dataclass
class Run:
    factors: dict
    record: RunRecord
    tables: dict = field(default_factory=dict)

    @property
    def status(self):
        return self.record.status

    @property
    def metrics(self):
        return metrics_of(self.record)

    def series(self, name):
        return self.tables.get(name, {})

    def derived(self, of, *arguments):
        return of(self, *arguments)
