"""What scripts assert in Python about `tcp_info`."""

import textwrap
from collections.abc import Mapping
from types import CodeType

_STATES = (
    "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT",
    "LAST_ACK", "LISTEN", "CLOSING", "NEW_SYN_RECV",
)  # fmt: skip
_CA_STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
_OPTIONS = ("TIMESTAMPS", "SACK", "WSCALE", "ECN", "ECN_SEEN", "SYN_DATA", "USEC_TS", "TFO_CHILD")
_FAST_OPEN_FAILURES = (
    "TFO_STATUS_UNSPEC", "TFO_COOKIE_UNAVAILABLE", "TFO_DATA_NOT_ACKED", "TFO_SYN_RETRANSMITTED",
)  # fmt: skip
CONSTANTS = {
    **{f"TCP_{name}": number for number, name in enumerate(_STATES, start=1)},
    **{f"TCP_CA_{name}": number for number, name in enumerate(_CA_STATES)},
    **{f"TCPI_OPT_{name}": 1 << bit for bit, name in enumerate(_OPTIONS)},
    **{name: number for number, name in enumerate(_FAST_OPEN_FAILURES)},
}
"""Of net/tcp_states.h and linux/tcp.h, as scripts call them."""


class Assertions:
    """Runs the Python of one script; names that a block binds are there in the next one.

    A script is a program that the user chose to run, as its shell commands are.
    """

    def __init__(self) -> None:
        self._names: dict[str, object] = dict(CONSTANTS)

    def __call__(self, text: str, info: Mapping[str, int]) -> None:
        """Run a block with the fields of `tcp_info` as names; raises what it raises."""
        self._names.update(info)
        exec(_compiled(text), self._names)


def _compiled(text: str) -> CodeType:
    first, _, rest = text.partition("\n")
    # The first line starts behind the brace, wherever the others stand. The last may end with a backslash.
    return compile(f"{first.strip()}\n{textwrap.dedent(rest)}\n\n", "the script", "exec")
