"""Campaigns: plan the runs of a scenario, execute them, keep every result."""

from bentpipe.campaign.ablate import Ablated, ablate
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute
from bentpipe.campaign.measure import Measured, Order, measure
from bentpipe.campaign.outcome import Ending, Outcome
from bentpipe.campaign.plan import PlannedRun, plan
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.rejections import Rejection
from bentpipe.campaign.time_limit import Hopeless

__all__ = [
    "Ablated",
    "Ending",
    "Engine",
    "Hopeless",
    "Measured",
    "Order",
    "Outcome",
    "PlannedRun",
    "Progress",
    "Rejection",
    "ablate",
    "execute",
    "measure",
    "plan",
]
