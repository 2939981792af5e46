"""Campaigns: plan the runs of a scenario, execute them, keep every result."""

from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute
from bentpipe.campaign.outcome import Ending, Outcome
from bentpipe.campaign.plan import PlannedRun, plan
from bentpipe.campaign.progress import Progress

__all__ = ["Ending", "Engine", "Outcome", "PlannedRun", "Progress", "execute", "plan"]
