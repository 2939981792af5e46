"""The ledger at a million runs: what appending, resuming and a report take, beside what they may take."""
