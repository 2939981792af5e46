"""What its user can do about a reason."""

import math

from bentpipe.model.reason import (
    BrowserFailedReason,
    ClockSteppedReason,
    CoreAwaitedReason,
    DocumentMissingReason,
    EmulatorLateReason,
    EngineFailedReason,
    EngineRaisedReason,
    FetchFailedReason,
    FlowFailedReason,
    Iperf3IsForeignReason,
    LoadEventMissingReason,
    NothingTransferredReason,
    PacketsOutsideReason,
    PacketsRefusedReason,
    PacketsUnreadReason,
    PageHiddenReason,
    PageUnreadableReason,
    PingFailedReason,
    ProgramFailedReason,
    Reason,
    ResourcesByOtherProtocolReason,
    SeriesLostReason,
    ServerUnseenReason,
    SpareConnectionsReason,
    TimedOutReason,
    VisitFailedReason,
    VisitTimedOutReason,
    WrongCongestionControlReason,
    WrongHandshakeReason,
    WrongKeyExchangeReason,
    WrongProtocolReason,
)
from bentpipe.model.record import RunRecord
from bentpipe.reasons.progress import payload_bytes, sent_of

TIMEOUT = "validity.timeout"
"""The key of the time that a workload has."""

_MORE_TIME = 2
"""Of what the rest would take at the same pace; congestion control may slow down yet."""
_SECOND_NS = 1_000_000_000
_MINUTE_S = 60
_KEEP = "a defect of the set-up or of Bentpipe: keep the record"
_QUIET = "have the machine do nothing else, or give --jobs 1"
_BROKE = "`bentpipe explain` repeats it with its capture"


def remedy(reason: Reason, record: RunRecord) -> str:
    """Return what helps against a reason of a record, in a few words."""
    match reason:
        case TimedOutReason() | VisitTimedOutReason():
            return f"--set {TIMEOUT}={_more(record)} allows more"
        case EmulatorLateReason():
            return f"{_QUIET}, or widen the bound: --set validity.lateness=5ms"
        case CoreAwaitedReason() | PacketsRefusedReason() | PacketsUnreadReason():
            return _QUIET
        case EngineFailedReason() | ProgramFailedReason() | ServerUnseenReason():
            return "with that mended, the same command measures it again"
        case BrowserFailedReason() | LoadEventMissingReason() | DocumentMissingReason() | PageHiddenReason():
            return "the same command measures it again; --jobs 1 leaves the browser more of the machine"
        case FetchFailedReason() | FlowFailedReason() | PingFailedReason() | VisitFailedReason():
            return _BROKE
        case PageUnreadableReason():
            return "look at the page by `bentpipe pages`: have its files changed?"
        case Iperf3IsForeignReason():
            return "give --engine emulate"
        case NothingTransferredReason():
            return f"is the transfer longer than its round trips? {_BROKE}"
        case ResourcesByOtherProtocolReason() | SpareConnectionsReason():
            return "the same command measures it again"
        case PacketsOutsideReason():
            return "have the page name its own hosts alone: `bentpipe pages` lists them"
        case ClockSteppedReason():
            return "have the clock slewed, not set, while you measure; the same command measures it again"
        case SeriesLostReason():
            return "the same command measures it again"
        case WrongCongestionControlReason() | WrongProtocolReason():
            return _KEEP
        case WrongHandshakeReason() | WrongKeyExchangeReason():
            return _KEEP
        case EngineRaisedReason():
            return "a defect of Bentpipe: keep the record"
        case _:
            # Of objects and requests that are not as the page has them.
            return _KEEP


def _more(record: RunRecord) -> str:
    """Return a longer time, as one writes it: what the rest needs at the same pace, with a margin."""
    timeout_s = record.spec.validity.timeout_ns / _SECOND_NS
    total_bytes, sent_bytes = payload_bytes(record.spec.workload), sent_of(record)
    pace = total_bytes / sent_bytes if total_bytes and sent_bytes else 1
    seconds = math.ceil(timeout_s * max(pace, 1) * _MORE_TIME)
    return f"{seconds}s" if seconds < _MINUTE_S else f"{math.ceil(seconds / _MINUTE_S)}min"
