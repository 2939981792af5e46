"""Times at which objects of a page are complete, by the study's definitions (its table 5)."""

from bentpipe.model.record import ObjectTiming, RunRecord
from bentpipe.stats import select
from bentpipe.studies.study import Run, Runs


def embedded(record: RunRecord) -> list[ObjectTiming]:
    """The objects of a page beside its document, which is asked for first, in the order of the page."""
    objects = sorted(record.objects, key=lambda each: each.discovered_s)[1:]
    return sorted(objects, key=_place)


def largest_complete_s(record: RunRecord) -> float | None:
    """When the largest object is complete; of several equal ones, when the last of them is.

    Of eight objects of one size each is the largest. By the first of them a uniform page would have the LCP
    of its FCP, and the study's explanation, that a triangular page's largest object does not wait for all
    others, needs the last.
    """
    objects = embedded(record)
    if not objects:
        return None
    largest = max(each.bytes for each in objects)
    return max(each.last_byte_s for each in objects if each.bytes == largest)


def largest_complete_times_s(runs: Runs, **cell: str) -> list[float]:
    """The same of each succeeded load of a cell."""
    times = (run.derived(_largest_complete_s) for run in select(runs, **cell))
    return [each for each in times if each is not None]


def _largest_complete_s(run: Run) -> float | None:
    return largest_complete_s(run.record)


def _place(timing: ObjectTiming) -> tuple[int, str]:
    """Names of a page's objects end in their number, `object-12.jpg`: shorter ones come first."""
    return len(timing.url), timing.url
