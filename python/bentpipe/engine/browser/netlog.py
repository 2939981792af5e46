"""What Chromium's network log (--log-net-log) knows and its remote control does not tell.

The ports of its connections, those that carried nothing, and requests that belong to no page.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_LOCAL_ADDRESS = ("local_address", "self_address")
"""Of a TCP socket when it has connected, of a QUIC session when a packet has come."""

_REMOTE_ADDRESS = {"local_address": "remote_address", "self_address": "peer_address"}


@dataclass(frozen=True, kw_only=True)
class Socket:
    """One connection, TCP or QUIC.

    Attributes
    ----------
    client_port : int
        Its port at the client.
    server_address : str
        Address at the other end.
    """

    client_port: int
    server_address: str


@dataclass(frozen=True, kw_only=True)
class NetLog:
    """What it says.

    Attributes
    ----------
    sockets : mapping of int to Socket
        All connections that were established, by the number that the remote control has for them.
    urls : sequence of str
        All that was asked for, by whatever part of the browser.
    """

    sockets: Mapping[int, Socket]
    urls: Sequence[str]


def read(text: str) -> NetLog:
    """Read a log; of one that breaks off, what is there."""
    sockets: dict[int, Socket] = {}
    urls = []
    for source, params in _events(text):
        for name in _LOCAL_ADDRESS:
            if name in params and _REMOTE_ADDRESS[name] in params:
                sockets.setdefault(source, _socket(params[name], params[_REMOTE_ADDRESS[name]]))
        # URL_REQUEST_START_JOB alone has both.
        if "url" in params and "method" in params:
            urls.append(params["url"])
    return NetLog(sockets=sockets, urls=list(dict.fromkeys(urls)))


def _events(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # One event a line; a browser that is killed has not written the end of the document.
    for line in text.splitlines():
        try:
            event = json.loads(line.rstrip(","))
            yield event["source"]["id"], event["params"]
        except (ValueError, KeyError, TypeError):
            continue


def _socket(local: str, remote: str) -> Socket:
    return Socket(client_port=int(local.rpartition(":")[2]), server_address=remote.rpartition(":")[0])
