"""The workload of a run, where only one kind makes sense."""

from bentpipe.model.flow import BulkWorkload, Iperf3Workload
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.spec import RunSpec


def page_load(spec: RunSpec) -> PageLoadWorkload:
    """Return the page load of a run of which it is known that it has one."""
    assert isinstance(spec.workload, PageLoadWorkload), spec.workload.kind
    return spec.workload


def only_flow(spec: RunSpec) -> BulkWorkload | Iperf3Workload:
    """Return the one flow of a run that has a single one."""
    assert isinstance(spec.workload, BulkWorkload | Iperf3Workload), spec.workload.kind
    return spec.workload
