"""Presets of paths that change, against recordings of Starlink's pings and against orbits.

The recordings: Victoria to Seattle, December 2024, three of 60 000 pings, one each 13 ms
(docs/models/schedule.md has the numbers and where they are from).
"""

import numpy as np
import pytest

from bentpipe.campaign.plan import planned_run
from bentpipe.engine.simulate import Simulator
from bentpipe.scenario import resolve_document
from tests.support.runs import simulated

INTERVAL_S = 0.013
PINGS = 60_000
PERIOD_S = 15.0
EDGE_S = 12.0
"""Of each quarter minute."""
