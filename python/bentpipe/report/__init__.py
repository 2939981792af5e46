"""The report of a folder of results: one HTML page, its data as JSON and CSV, its figures as files."""

from bentpipe.report.build import Written, build, write

__all__ = ["Written", "build", "write"]
