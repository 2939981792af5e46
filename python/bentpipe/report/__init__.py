"""The report of a folder of results: one HTML page, its data as JSON and CSV, its figures as files."""

from bentpipe.report.build import build

__all__ = ["build"]
