"""Serves a site over HTTP/3 by aioquic.

python aioquic_serve.py SITE CERTIFICATE KEY serves what the JSON document SITE names, at port 443.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent
from aioquic.tls import SessionTicket

Site = dict[str, dict[str, str]]
"""What there is, by host and target."""


class Server(QuicConnectionProtocol):
    """A connection that answers each request at once."""

    def __init__(self, *arguments: Any, site: Site, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._http = H3Connection(self._quic)
        self._site = site

    def quic_event_received(self, event: QuicEvent) -> None:
        """Take what the QUIC library has."""
        for found in self._http.handle_event(event):
            if isinstance(found, HeadersReceived):
                self._answer(found.stream_id, dict(found.headers))

    def _answer(self, stream: int, fields: dict[bytes, bytes]) -> None:
        found = self._site.get((fields[b":authority"] + fields[b":path"]).decode())
        status, kind, body = b"404", b"text/plain", b"no such resource\n"
        if found is not None:
            status, kind, body = b"200", found["Type"].encode(), Path(found["Path"]).read_bytes()
        length = str(len(body)).encode()
        headers = [(b":status", status), (b"content-type", kind), (b"content-length", length)]
        self._http.send_headers(stream, headers)
        self._http.send_data(stream, body, end_stream=True)
        self.transmit()


async def main(site: str, certificate: str, key: str) -> None:
    """Serve until the process is ended."""
    files = {file["Host"] + file["Target"]: file for file in json.loads(Path(site).read_text())}
    settings = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN)
    settings.load_cert_chain(certificate, key)
    tickets: dict[bytes, SessionTicket] = {}

    def keep(ticket: SessionTicket) -> None:
        tickets[ticket.ticket] = ticket

    await serve(
        "0.0.0.0",
        443,
        configuration=settings,
        create_protocol=lambda *arguments, **options: Server(*arguments, site=files, **options),
        session_ticket_fetcher=lambda label: tickets.pop(label, None),
        session_ticket_handler=keep,
    )
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
