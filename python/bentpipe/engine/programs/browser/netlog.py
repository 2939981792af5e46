"""What Chromium's network log (--log-net-log) knows and its remote control does not tell.

The ports of its connections, and requests that belong to no page.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bentpipe.engine.programs.browser.remote import Json

_ENDS = {"local_address": "remote_address", "self_address": "peer_address"}
"""Here and there: of a TCP socket when it has connected, of a QUIC session when a packet has come."""


@dataclass(frozen=True, kw_only=True)
class NetLog:
    """What it says.

    Attributes
    ----------
    ports : mapping of int to int
        Those of the client, of all connections that were established, by the number that the remote control
        has for them.
    urls : sequence of str
        All that was asked for, by whatever part of the browser.
    """

    ports: Mapping[int, int]
    urls: Sequence[str]

    def strays(self, known: Collection[str]) -> list[str]:
        """Return what was asked of the hosts of some URLs besides these; other hosts nobody can reach."""
        hosts = {urlsplit(url).hostname for url in known}
        return [url for url in self.urls if urlsplit(url).hostname in hosts and url not in known]


def read(text: str) -> NetLog:
    """Read a log; of one that breaks off, what is there."""
    ports: dict[int, int] = {}
    urls = []
    for source, params in _events(text):
        for here, there in _ENDS.items():
            if here in params and there in params:
                ports.setdefault(source, int(params[here].rpartition(":")[2]))
        # URL_REQUEST_START_JOB alone has both.
        if "url" in params and "method" in params:
            urls.append(params["url"])
    return NetLog(ports=ports, urls=list(dict.fromkeys(urls)))


def _events(text: str) -> Iterator[tuple[int, Json]]:
    # One event a line; a browser that is killed has not written the end of the document.
    for line in text.splitlines():
        try:
            event = json.loads(line.rstrip(","))
            yield event["source"]["id"], event["params"]
        except (ValueError, KeyError, TypeError):
            continue
