"""BBR at both ends of a connection, from what is written to the run specification."""

from collections.abc import Collection

from bentpipe.model.draft.cc import BbrSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.senders import Sender
from bentpipe.scenario.written.schema import BbrTable
from bentpipe.scenario.written.table import or_default


def bbr_spec(table: BbrTable, senders: Collection[Sender]) -> BbrSpec | None:
    """Return the settings of BBR version 1, or None where it is that of today's Linux or nobody's.

    Parameters
    ----------
    table : BbrTable
        As written.
    senders : collection of Sender
        Those of the run.
    """
    extra_acked = or_default(table.extra_acked, defaults.BBR_EXTRA_ACKED)
    if extra_acked or all(sender.cc != "bbr" for sender in senders):
        return None
    return {"extra_acked": "off"}
