"""The ledger: every attempt at every run of a campaign, written once and never changed."""

from bentpipe.ledger.attempts import Attempts
from bentpipe.ledger.entry import Entry, judged
from bentpipe.ledger.ledger import Ledger

__all__ = ["Attempts", "Entry", "Ledger", "judged"]
