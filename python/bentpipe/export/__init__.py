"""Results in the formats of other programs: tables with units, OpenMetrics, flent's files, CrUX's names."""
