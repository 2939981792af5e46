"""The ledger: every attempt at every run of a campaign, written once and never changed."""

from bentpipe.ledger.entry import Entry
from bentpipe.ledger.ledger import Ledger

__all__ = ["Entry", "Ledger"]
