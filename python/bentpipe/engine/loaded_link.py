"""What a link process delivers and takes of a core while it is loaded."""

import time
from dataclasses import dataclass

from bentpipe.engine.host import cpu_time, monotonic
from bentpipe.engine.process.mark import marked
from bentpipe.engine.process.part import START_TIMEOUT_S, Part
from bentpipe.model.report import LinkReport


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What a link process did: `link_cores` is the share of a core that it had."""

    report: LinkReport
    span_s: float
    link_cores: float


def loaded(link: Part, *, seconds: float) -> Loaded:
    """Count from now on for so long.

    Raises
    ------
    PartError
        When the link ends or does not answer.
    """
    monotonic.sleep_until(marked(link))
    started_s, used_s = time.monotonic(), cpu_time.used_s([link.pid])
    time.sleep(seconds)
    # A sleep may end late.
    link_cores = (cpu_time.used_s([link.pid]) - used_s) / (time.monotonic() - started_s)
    link.order("report")
    report = LinkReport.model_validate_json(link.answer(timeout_s=START_TIMEOUT_S))
    return Loaded(report=report, span_s=time.monotonic() - started_s, link_cores=link_cores)
