"""Arithmetic of what cannot hold, from numbers of the publication and the height of the orbit alone."""

from math import ceil

from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import MANY, STUDY_WINDOW, TUNNEL, objects
from bentpipe.studies.secchi2018.published import LOAD_MARGIN_PERCENT, Column

ORBIT_KM = 35_786
LIGHT_KM_PER_S = 299_792.458
LEAST_ROUND_TRIP_S = 4 * ORBIT_KM / LIGHT_KM_PER_S
"""Ground to satellite and down, there and back, with the satellite in the zenith."""
CONNECTIONS = 6


def fastest_one_at_a_time_kb_per_s() -> float:
    """What 500 objects over six connections come to at most, one in each round trip of each."""
    turns = ceil(objects(*MANY) / CONNECTIONS)
    return MANY[0] / (turns * LEAST_ROUND_TRIP_S)


def average_rate_note() -> str:
    """Why 230 kB/s cannot be the average of 500 objects over HTTP/1.1."""
    claimed_s = MANY[0] / published.H1_RATE.value
    turns = ceil(objects(*MANY) / CONNECTIONS)
    return (
        f"500 objects, one in a round trip on each of six connections, are {turns} turns of at least "
        f"{LEAST_ROUND_TRIP_S:.3f} s: {fastest_one_at_a_time_kb_per_s():.0f} kB/s at most. 2500 kB at "
        f"{published.H1_RATE.value:.0f} kB/s would take {claimed_s:.1f} s, less than the "
        f"{published.H2_500_OBJECTS_PLT.value:.0f} s of HTTP/2, which the text calls the faster."
    )


def least_of_table_1_s() -> float:
    """What the slowest page of 500 kB without the PEP takes at least, by table 1 less its margin."""
    sizes = published.TABLE_1_PLT_S[Column(pep=TUNNEL, window=STUDY_WINDOW)][500]
    return max(sizes.values()) * (1 - LOAD_MARGIN_PERCENT[TUNNEL] / 100)


def most_of_the_text_s() -> float:
    """What a page of 500 kB without the PEP takes at most, by section 4.4 with its margin."""
    most = published.H2_TUNNEL_500K[1]
    return most.value * (1 + most.margin_percent / 100)


def table_1_note() -> str:
    """Why 11 to 15 s cannot hold beside table 1."""
    columns = [column for column in published.TABLE_1_PLT_S if column.pep == TUNNEL]
    seconds = [value for column in columns for value in published.TABLE_1_PLT_S[column][500].values()]
    return (
        f"Table 1 has six means of the same: {min(seconds)} to {max(seconds)} s. The slowest page, "
        "32.7 s less "
        f"{LOAD_MARGIN_PERCENT[TUNNEL]:.0f} %, takes at least {least_of_table_1_s():.1f} s, by the "
        "text at most "
        f"{most_of_the_text_s():.1f} s. The six numbers are kept, the sentence is not."
    )
