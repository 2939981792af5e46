"""Ledgers as tests fill them."""


def append(ledger, entry, series=None):
    """Add one attempt, with series or without, and commit it."""
    ledger.add(entry, series or {})
    ledger.commit()
