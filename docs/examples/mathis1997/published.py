"""The publication and its numbers, each with its place."""

TITLE = "The rate of TCP Reno by loss and round trip"
CITATION = (
    "Mathis, Semke, Mahdavi, Ott: The macroscopic behavior of the TCP congestion avoidance algorithm. "
    "ACM SIGCOMM Computer Communication Review 27(3), 67-82, 1997"
)
DOI: str | None = "10.1145/263932.264023"

EQUATION = "equation 3: rate = MSS / RTT x C / sqrt(p)"
FOUR_TIMES_THE_LOSS_PERCENT = -50.0
"""1 / sqrt(4) - 1."""
HALF_THE_ROUND_TRIP_PERCENT = 100.0
"""2 - 1."""
