"""Fetches paths over HTTP/3 by aioquic, an implementation that shares no code with ours.

python aioquic_get.py [--authority FILE] [--key-update] [--again] HOST PATH... prints a line `status length`
for each path. With `--again` it ends the connection, fetches the first path in early data of a second one,
and prints `resumed early` as `True False` at last.
"""

import argparse
import asyncio
import ssl
from collections import defaultdict
from typing import Any

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent
from aioquic.tls import SessionTicket

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

    def is_resumed(self) -> tuple[bool, bool]:
        """Return whether the session of another connection was resumed, and early data was taken."""
        return self._quic.tls.session_resumed, self._quic.tls.early_data_accepted

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


async def main(asked: argparse.Namespace) -> None:
    """Fetch all paths at once, and what else is asked for."""
    settings = QuicConfiguration(alpn_protocols=H3_ALPN, server_name=AUTHORITY)
    if asked.authority is None:
        settings.verify_mode = ssl.CERT_NONE
    else:
        settings.load_verify_locations(asked.authority)
    tickets: list[SessionTicket] = []
    options = {"configuration": settings, "create_protocol": Client}
    async with connect(asked.host, 443, session_ticket_handler=tickets.append, **options) as client:
        assert isinstance(client, Client)
        if asked.key_update:
            await client.ping()
            client.request_key_update()
        for status, length in await asyncio.gather(*(client.get(path) for path in asked.paths)):
            print(status, length)
    if asked.again:
        settings.session_ticket = tickets[-1]
        async with connect(asked.host, 443, wait_connected=False, **options) as client:
            assert isinstance(client, Client)
            await client.get(asked.paths[0])
            print(*client.is_resumed())


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--authority", help="whose certificates are trusted (PEM); without it all are")
    parser.add_argument("--key-update", action="store_true", help="change the keys before the first request")
    parser.add_argument("--again", action="store_true", help="fetch over a second connection, in early data")
    parser.add_argument("host")
    parser.add_argument("paths", nargs="+", metavar="path")
    return parser.parse_args()


asyncio.run(main(arguments()))
