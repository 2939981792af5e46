"""The report on a scenario's ablations: what each changes, and which claims it decides."""

from bentpipe.report.ablations.build import write

__all__ = ["write"]
