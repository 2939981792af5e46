"""Why a run was slow, or has no number: where its time went, what it lost, and its captures."""

from bentpipe.diagnosis.choice import Choice, choose
from bentpipe.diagnosis.diagnose import Diagnosis, diagnose
from bentpipe.diagnosis.repeat import Captures, captures

__all__ = ["Captures", "Choice", "Diagnosis", "captures", "choose", "diagnose"]
