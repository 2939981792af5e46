"""Bentpipe: a testbed for web and transport protocols over satellite links."""

__version__ = "0.1.0"
