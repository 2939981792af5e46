"""What no machine is asked for."""

MOST_AT_ONCE = 1000
"""Runs at once, by threads or processes of one machine; none has as many cores."""
