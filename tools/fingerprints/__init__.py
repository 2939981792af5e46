"""Whether equal specifications give equal runs on every machine: their records and packets as hashes."""
