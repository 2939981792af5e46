"""A QUIC server and its client, the worked example of docs/guide/quic-server.md.

`quic_hello.py serve` answers each stream with 100 kB, `quic_hello.py get ADDRESS` asks once and prints how
long it took. It needs aioquic, and `cert.pem` and `key.pem` in the working directory.
"""

import asyncio
import ssl
import sys
import time

from aioquic.asyncio import connect, serve
from aioquic.quic.configuration import QuicConfiguration

PORT = 4433
ANSWER = bytes(100_000)
PROTOCOL = ["hello"]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer a stream when its request is complete."""
    await reader.read()
    writer.write(ANSWER)
    writer.write_eof()


async def serve_forever() -> None:
    """Serve on every address."""
    # The event loop itself holds tasks by weak references alone.
    tasks: set[asyncio.Task[None]] = set()

    def opened(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(answer(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    configuration = QuicConfiguration(is_client=False, alpn_protocols=PROTOCOL)
    configuration.load_cert_chain("cert.pem", "key.pem")
    await serve("0.0.0.0", PORT, configuration=configuration, stream_handler=opened)
    await asyncio.Event().wait()


async def get(address: str) -> None:
    """Ask once; the certificate is not verified."""
    configuration = QuicConfiguration(alpn_protocols=PROTOCOL, verify_mode=ssl.CERT_NONE)
    started = time.monotonic()
    async with connect(address, PORT, configuration=configuration) as client:
        connected = time.monotonic()
        reader, writer = await client.create_stream()
        writer.write_eof()
        body = await reader.read()
        done = time.monotonic()
    print(f"handshake {connected - started:.3f} s, {len(body)} bytes after {done - started:.3f} s")


asyncio.run(serve_forever() if sys.argv[1] == "serve" else get(sys.argv[2]))
