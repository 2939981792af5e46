"""Fetches paths over one HTTP/3 connection by aioquic, an implementation that shares no code with ours.

python aioquic_get.py HOST PATH... prints a line `status length` for each path.
"""

import asyncio
import ssl
import sys
from collections import defaultdict
from typing import Any

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent

AUTHORITY = "origin.bentpipe.test"


class Client(QuicConnectionProtocol):
    """A connection that gathers what comes on each stream."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._http = H3Connection(self._quic)
        self._status: dict[int, str] = {}
        self._length: dict[int, int] = defaultdict(int)
        self._ended: dict[int, asyncio.Future[None]] = {}

    async def get(self, path: str) -> tuple[str, int]:
        """Return status and length of a response."""
        stream = self._quic.get_next_available_stream_id()
        fields = {":method": "GET", ":scheme": "https", ":authority": AUTHORITY, ":path": path}
        self._ended[stream] = self._loop.create_future()
        headers = [(name.encode(), value.encode()) for name, value in fields.items()]
        self._http.send_headers(stream, headers, end_stream=True)
        self.transmit()
        await self._ended[stream]
        return self._status[stream], self._length[stream]

    def quic_event_received(self, event: QuicEvent) -> None:
        """Take what the QUIC library has."""
        for found in self._http.handle_event(event):
            self._take(found)

    def _take(self, event: H3Event) -> None:
        if isinstance(event, HeadersReceived):
            self._status[event.stream_id] = dict(event.headers)[b":status"].decode()
        if isinstance(event, DataReceived):
            self._length[event.stream_id] += len(event.data)
        if isinstance(event, HeadersReceived | DataReceived) and event.stream_ended:
            self._ended[event.stream_id].set_result(None)


async def main(host: str, *paths: str) -> None:
    """Fetch all paths at once."""
    settings = QuicConfiguration(alpn_protocols=H3_ALPN, server_name=AUTHORITY, verify_mode=ssl.CERT_NONE)
    async with connect(host, 443, configuration=settings, create_protocol=Client) as client:
        assert isinstance(client, Client)
        for status, length in await asyncio.gather(*(client.get(path) for path in paths)):
            print(status, length)


asyncio.run(main(*sys.argv[1:]))
